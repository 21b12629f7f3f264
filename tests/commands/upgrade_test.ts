import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { runInProcess } from "../helpers/in_process.ts";
import { it, suite } from "../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url)).replace(/\/$/, "");

suite("mlcli upgrade", () => {
  it("prints the lines to run, and says how it was installed beside them", async () => {
    const { code, stdout, stderr } = await runInProcess(["upgrade"], { cwd: "/" });
    assertEquals(code, 0);
    assertStringIncludes(stdout, `${ROOT}\ngit pull\n`);
    assertMatch(stdout, /^cd .*\n.*\nnpx -y deno@\S+ task setup\n$/);
    assertEquals(stderr, `note: mlcli was installed from source, in ${ROOT}\n`);
  });

  it("gives a program the same", async () => {
    const { stdout, stderr } = await runInProcess(["upgrade", "--json"], { cwd: "/" });
    const { how, first, lines } = JSON.parse(stdout);
    assertEquals([how, first, lines.length, stderr], [`from source, in ${ROOT}`, null, 3, ""]);
  });
});
