import { assertEquals, assertMatch } from "@std/assert";
import { permissionOptions } from "../../../scripts/compile/permissions.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("what the binary is allowed", () => {
  const [first, ...permissions] = permissionOptions();

  it("is never asked of the user: a program that waits for an answer hangs", () => {
    assertEquals(first, "--no-prompt");
  });

  it("is named, each permission once, and never all", () => {
    for (const flag of permissions) assertMatch(flag, /^--allow-(read|write|net|env|sys=\S+|run)$/);
    const names = permissions.map((flag) => flag.split("=")[0]);
    assertEquals(new Set(names).size, names.length);
  });
});
