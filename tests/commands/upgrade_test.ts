import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");

const BINARY = Deno.env.get("MLCLI_UNDER_TEST");

suite("mlcli upgrade", () => {
  it("says how it was installed, and prints the lines to run", async () => {
    const { code, stdout, stderr } = await runProgram(["upgrade"], { cwd: "/" });
    const how = BINARY === undefined
      ? `from source, in ${ROOT}`
      : `as the file ${Deno.realPathSync(BINARY)}`;
    assertEquals([code, stderr.split("\n")[0]], [0, `note: mlcli was installed ${how}`]);
    if (BINARY === undefined) assertMatch(stdout, /^cd .*\ngit pull\nnpx .* task setup\n$/);
    const json = await runProgram(["upgrade", "--json"], { cwd: "/" });
    const facts = JSON.parse(json.stdout);
    assertEquals([json.code, json.stderr], [0, ""]);
    assertEquals([facts.how, facts.lines], [how, stdout.split("\n").slice(0, -1)]);
    assertEquals(facts.first !== null, stderr.includes("\nhint: "));
  });
});
