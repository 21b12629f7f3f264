import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  asksForDebug,
  parseCommand,
  refusesColour,
  requireNoRest,
  splitCommandLine,
} from "../../../commands/cliffy/command_line.ts";
import { root } from "../../../commands/root.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the words of a command line", () => {
  for (
    const [args, words, rest] of [
      [[], [], []],
      [["local", "--no-color", "stop", "-p", "1"], ["local", "stop", "-p", "1"], []],
      [["local", "--"], ["local"], []],
      [["--hyperparameter=name=", "a="], ["--hyperparameter=name=", "a="], []],
      [["a", "--", "", "--no-color", "--port=", "--", "-h"], ["a"], [
        "",
        "--no-color",
        "--port=",
        "--",
        "-h",
      ]],
      [["--no-color", "a", "--", " b\n'"], ["a"], [" b\n'"]],
      [["--debug", "a", "--", "--debug"], ["a"], ["--debug"]],
    ] as const
  ) {
    it(`of: ${args.join(" ")}`, () =>
      assertEquals(splitCommandLine(args), {
        words: [...words],
        rest: [...rest],
        directory: undefined,
      }));
  }

  for (
    const [args, words, directory] of [
      [["--directory", "a b", "build"], ["build"], "a b"],
      [["local", "--directory=..", "train", "-t", "v"], ["local", "train", "-t", "v"], ".."],
      [["build", "--directory", "-x"], ["build"], "-x"],
      [["build", "--directory=--x"], ["build"], "--x"],
      [["-C", "..", "build"], ["build"], ".."],
      [["build", "-C..", "-t", "v"], ["build", "-t", "v"], ".."],
    ] as const
  ) {
    it(`name the directory to run in: ${args.join(" ")}`, () =>
      assertEquals(splitCommandLine(args), { words: [...words], rest: [], directory }));
  }

  it("refuse colour before -- alone", () => {
    assertEquals(refusesColour(["a", "--no-color", "b"]), true);
    assertEquals(refusesColour(["a", "--", "--no-color"]), false);
  });

  it("ask for stacks before -- alone", () => {
    assertEquals(asksForDebug(["a", "--debug", "b"]), true);
    assertEquals(asksForDebug(["a", "--", "--debug"]), false);
  });

  it("may follow -- only where a command takes them", () => {
    requireNoRest([]);
    for (const word of ["b", ""]) {
      const { message, hint } = assertThrows(() => requireNoRest([word, "c"]), UsageError);
      assertEquals(message, `Unexpected argument after "--": "${word}"`);
      assertEquals(
        hint,
        'Remove "--". Write a file name that begins with a dash as ./-name.',
      );
    }
  });

  for (
    const [args, message] of [
      [["--port="], 'Missing value for option "--port"'],
      [["--port", ""], 'Missing value for option "--port"'],
      [["-p="], 'Missing value for option "-p"'],
      [["build", "--directory"], 'Missing value for option "--directory"'],
      [["--directory", "--help"], 'Missing value for option "--directory"'],
      [["--directory="], 'Missing value for option "--directory"'],
      [["--directory", "a", "--directory=b"], 'Option "--directory" was given more than once'],
      [["-C", "a", "--directory=b"], 'Option "--directory" was given more than once'],
      [["build", "-C"], 'Missing value for option "-C"'],
      [["invoke", ""], "An argument is empty"],
      [[""], "An argument is empty"],
    ] as const
  ) {
    it(`may not be: ${JSON.stringify(args)}`, () => {
      assertEquals(assertThrows(() => splitCommandLine(args), UsageError).message, message);
    });
  }
});

suite("a command line, read", () => {
  for (
    const [line, words] of [
      ["local logs -fp 8080", ["local", "logs", "--follow", "--port", "8080"]],
      ["local logs -fp8080 --tail 3", [
        "local",
        "logs",
        "--follow",
        "--port",
        "8080",
        "--tail",
        "3",
      ]],
      ["local status --json", ["local", "status", "--output", "json"]],
      ["local status -o json", ["local", "status", "--output", "json"]],
      ["--output json local status", ["local", "status", "--output", "json"]],
      ["local -o json status", ["local", "status", "--output", "json"]],
      ["--region x --profile=y list-jobs", ["list-jobs", "--region", "x", "--profile", "y"]],
      ["local ls", ["local", "list-jobs"]],
      ["ls --limit 2", ["list-jobs", "--limit", "2"]],
      ["local ps", ["local", "status"]],
      ["local rm -p 8081", ["local", "stop", "--port", "8081"]],
      ["local help train", ["local", "train", "--help"]],
      ["local help", ["local", "--help"]],
      ["completions help bash", ["completions", "bash", "--help"]],
      ["completion bash", ["completions", "bash"]],
      ["cloud train -c 2", ["train", "--instance-count", "2"]],
      ["cloud ls", ["list-jobs"]],
      ["cloud help train", ["train", "--help"]],
      ["cloud --help", ["cloud", "--help"]],
      ["local process -c 2 --command sh --command -c", [
        "local",
        "process",
        "--instance-count",
        "2",
        "--command",
        "sh",
        "--command",
        "-c",
      ]],
    ] as const
  ) {
    it(`mlcli ${line}`, async () => {
      const parsed = await parseCommand({ words: line.split(" "), rest: [] }, root);
      assertEquals(parsed.words, [...words]);
      assertEquals(parsed.question, line.includes("help") ? "help" : undefined);
    });
  }

  it("refuses an option instead of the value of --command", async () => {
    const words = ["train", "--command", "--dry-run"];
    const { message } = await assertRejects(
      () => parseCommand({ words, rest: [] }, root),
      UsageError,
    );
    assertEquals(message, 'Missing value for option "--command"');
  });

  it("undoes a switch that the configuration file can turn on, and no other", async () => {
    const read = (flag: string) => parseCommand({ words: ["train", flag], rest: [] }, root);
    assertEquals((await read("--no-spot")).words, ["train", "--no-spot"]);
    for (const flag of ["--no-dry-run", "--no-yes", "--no-send-code"]) {
      const { message } = await assertRejects(() => read(flag), UsageError);
      assertEquals(message.startsWith(`Unknown option "${flag}"`), true, message);
    }
  });

  for (const line of ["local train --help all", "-h all local train", "cloud train -h all"]) {
    it(`mlcli ${line}: asks for all options`, async () => {
      const parsed = await parseCommand({ words: line.split(" "), rest: [] }, root);
      assertEquals([parsed.question, parsed.names.at(-1)], ["help all", "train"]);
    });
  }
});
