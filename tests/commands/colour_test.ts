import { assert, assertEquals, assertMatch } from "@std/assert";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";
import { runOnTerminal } from "../helpers/terminal.ts";

// deno-lint-ignore no-control-regex
const COLOUR = /\x1b\[/;

suite("--no-color", () => {
  it("takes the colour from what a terminal shows, wherever it stands", async () => {
    const coloured = await runOnTerminal(["local", "status", "--help"], "/");
    assertEquals(coloured.code, 0);
    assertMatch(coloured.screen, COLOUR);
    for (
      const args of [
        ["--no-color", "local", "status", "--help"],
        ["local", "--no-color", "status", "--help"],
        ["local", "status", "--help", "--no-color"],
      ]
    ) {
      const { code, screen } = await runOnTerminal(args, "/");
      assertEquals(code, 0);
      assertMatch(screen, /Usage: mlcli local status/);
      assert(!COLOUR.test(screen), screen);
    }
  });

  it("changes nothing else", async () => {
    const args = ["completions", "bash"];
    const plain = await runProgram(args, { cwd: "/" });
    assertEquals(plain.code, 0);
    assertEquals(await runProgram(["--no-color", ...args], { cwd: "/" }), plain);
    assertMatch(plain.stdout, /__mlcli_local_status\(\) \{\s+opts=\(.*--no-color/);
  });
});
