import { assert, assertEquals, assertMatch } from "@std/assert";
import { main } from "../../main.ts";
import { commandPaths } from "../helpers/command_paths.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";
import { runOnTerminal } from "../helpers/terminal.ts";

suite("on a narrow terminal", () => {
  for (const columns of [80, 40]) {
    it(`of ${columns} columns, no help is wider, but for commands to paste`, async () => {
      for (const names of await commandPaths()) {
        const context = fakeContext({ isTerminal: true, columns });
        assertEquals(await main([...names, "--help"], context), 0);
        const [help = ""] = context.out.text.split("\nExamples:\n");
        for (const line of help.split("\n")) {
          // A form of an option with its flags, or a path, may be longer by itself.
          const isOne = !/\S \S/.test(line.trim().replace(/^-\w, /, "").replaceAll(", -", ",-"));
          const isForm = /^ {2}(-\w, )?--\S+(, --\S+)* \S+$/.test(line);
          assert(line.length <= columns || isOne || isForm, `${names.join(" ")}: ${line}`);
        }
      }
    });
  }

  it("messages are broken between words; in a pipe they are not", async () => {
    const args = ["list-jobs", "--status", "fialed"];
    const message =
      'Option "--status" must be InProgress, Completed, Failed, Stopping or Stopped, ' +
      'but got "fialed"';
    const piped = await runProgram(args, { cwd: "/" });
    assertEquals(
      [piped.code, piped.stdout, piped.stderr],
      [2, "", `error: ${message}\nhint: See mlcli list-jobs --help\n`],
    );
    const { code, screen } = await runOnTerminal(args, "/", "", 40, { NO_COLOR: "1" });
    const lines = screen.trimEnd().split("\r\n");
    assertEquals([code, lines.every((line) => line.length <= 40)], [2, true], screen);
    assertEquals(lines.join(" ").replace(/ +/g, " "), piped.stderr.trimEnd().replace("\n", " "));
  });
});

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
  });
});
