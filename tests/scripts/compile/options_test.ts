import { assertEquals, assertMatch } from "@std/assert";
import { permissionOptions } from "../../../scripts/compile/options.ts";
import { TARGETS } from "../../../scripts/compile/targets.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("what the binary is allowed", () => {
  const [first, ...permissions] = permissionOptions();

  it("is never asked of the user: a program that waits for an answer hangs", () => {
    assertEquals(first, "--no-prompt");
  });

  it("is all on Windows, where Deno opens no named pipe otherwise, and nowhere else", () => {
    const all = TARGETS.filter((target) => permissionOptions(target).includes("--allow-all"));
    assertEquals(all, ["x86_64-pc-windows-msvc"]);
    assertEquals(permissionOptions("x86_64-pc-windows-msvc"), ["--no-prompt", "--allow-all"]);
  });

  it("is named elsewhere, each permission once", () => {
    for (const flag of permissions) assertMatch(flag, /^--allow-(read|write|net|env|sys=\S+|run)$/);
    const names = permissions.map((flag) => flag.split("=")[0]);
    assertEquals(new Set(names).size, names.length);
  });
});
