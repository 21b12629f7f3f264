import { assertEquals, assertRejects } from "@std/assert";
import { parseCommand } from "../../../commands/cliffy/command_line.ts";
import { run } from "../../../commands/cliffy/tree.ts";
import { command, type Group } from "../../../commands/command.ts";
import { options } from "../../../commands/options/option.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { it, suite } from "../../helpers/suite.ts";

async function parse(
  line: { readonly words: readonly string[]; readonly rest: readonly string[] },
  root: Group,
  context: ReturnType<typeof fakeContext>,
): Promise<void> {
  await run(await parseCommand(line, root), root, context);
}

const TAG = options({ "--tag": { short: "-t", value: "tag", description: "", default: "latest" } });

const OPTIONS = options({
  "[file]": { path: "typed" },
  ...TAG,
  "--output": { value: "format", choices: ["text", "json"], description: "", default: "text" },
  "--role": { value: "arn", description: "", required: true, variable: "ROLE" },
  "--pair": { short: "-p", value: "pair", description: "", repeatable: true },
  "--no-cache": { description: "" },
  "--env": { value: "variable", description: "", repeatable: true },
});

/**
 * A tree with a command in a group, and the values that the command received. Other commands must not be
 * loaded.
 */
function makeTree(): { readonly root: Group; readonly got: unknown[] } {
  const got: unknown[] = [];
  const run = command({
    options: OPTIONS,
    action: (_context, values, { path }) => Promise.resolve(void got.push([path, values])),
  });
  const taker = command({
    options: options({ "[-- words...]": {} }),
    action: (_context, { words }) => Promise.resolve(void got.push(words)),
  });
  const trap = {
    summary: "",
    load: (): never => {
      throw new Error("Loaded");
    },
  };
  const group: Group = {
    options: TAG,
    commands: {
      run: { summary: "", load: () => Promise.resolve({ default: run }) },
      taker: { summary: "", load: () => Promise.resolve({ default: taker }) },
      trap,
    },
  };
  const commands = {
    group: { summary: "", load: () => Promise.resolve({ default: group }) },
    other: trap,
  };
  return { root: { options: {}, commands }, got };
}

const DEFAULTS = { file: undefined, tag: "latest", output: "text", pair: [], cache: true, env: [] };

suite("a command line", () => {
  for (
    const [line, expected] of [
      ["group run --role r", { ...DEFAULTS, role: "r" }],
      ["group -t v1 run --role r", { ...DEFAULTS, role: "r", tag: "v1" }],
      ["group run a.csv -t v1 --role=r", { ...DEFAULTS, role: "r", tag: "v1", file: "a.csv" }],
      ["group run -p a --pair b=c --role r", { ...DEFAULTS, role: "r", pair: ["a", "b=c"] }],
      ["group run --no-cache --output json --role r", {
        ...DEFAULTS,
        ...{ role: "r", cache: false, output: "json" },
      }],
    ] as const
  ) {
    it(`runs the command that it names: ${line}`, async () => {
      const { root, got } = makeTree();
      await parse({ words: line.split(" "), rest: [] }, root, fakeContext());
      assertEquals(got, [["mlcli group run", expected]]);
    });
  }

  it("gives what follows -- to a command that takes it, and to no other", async () => {
    const { root, got } = makeTree();
    const rest = ["", "--role", "x y"];
    await parse({ words: ["group", "-t", "v", "taker"], rest }, root, fakeContext());
    assertEquals(got, [rest]);
    for (const words of [["group", "run", "--role", "r"], ["group"], ["group", "-t", "taker"]]) {
      const refused = () => parse({ words, rest }, root, fakeContext());
      const { message } = await assertRejects(refused, UsageError);
      assertEquals(message, 'Unexpected argument after "--": ""');
    }
    assertEquals(got.length, 1);
  });

  it("without -- gets a hint where arguments go", async () => {
    const words = ["group", "taker", "--rows", "5"];
    const parsed = () => parse({ words, rest: [] }, makeTree().root, fakeContext());
    const { message, hint } = await assertRejects(parsed, UsageError);
    assertEquals(message, 'Unknown option "--rows"');
    assertEquals(
      hint,
      "See mlcli group taker --help. Put arguments of your code after --.",
    );
  });

  it("may leave a required option to its variable", async () => {
    const { root, got } = makeTree();
    const env = (name: string) => name === "ROLE" ? "r" : undefined;
    await parse({ words: ["group", "run"], rest: [] }, root, fakeContext({ env }));
    assertEquals(got, [["mlcli group run", { ...DEFAULTS, role: "r" }]]);
  });

  for (
    const [line, message, hint] of [
      ["group run", 'Missing required option "--role"', "See mlcli group run --help"],
      [
        "group run --role r a b",
        'Unexpected argument: "b"',
        "See mlcli group run --help",
      ],
      [
        "group taker a",
        'Unexpected argument: "a"',
        "See mlcli group taker --help. Put arguments of your code after --.",
      ],
      [
        "group run --role r --role s",
        'Option "--role" was given more than once',
        "See mlcli group run --help",
      ],
      [
        "group run --role r --output xml",
        'Option "--output" must be text or json, but got "xml"',
        "See mlcli group run --help",
      ],
      [
        "group run --role r -e K=V",
        'Unknown option "-e"',
        "Did you mean --env? See mlcli group run --help",
      ],
      [
        "group run --role",
        'Missing value for option "--role"',
        "See mlcli group run --help",
      ],
      [
        "group run --role r -t -p a",
        'Missing value for option "-t"',
        "See mlcli group run --help",
      ],
      [
        "group run --role --no-cache",
        'Missing value for option "--role"',
        "See mlcli group run --help",
      ],
      [
        "group run --no-cache=yes",
        'Option "--no-cache" accepts no value, but got "yes"',
        "See mlcli group run --help",
      ],
    ] as const
  ) {
    it(`is refused: ${line}`, async () => {
      const { root } = makeTree();
      const error = await assertRejects(
        () => parse({ words: line.split(" "), rest: [] }, root, fakeContext()),
        UsageError,
      );
      assertEquals([error.message, error.hint], [message, hint]);
    });
  }

  for (
    const [line, role] of [
      ["group run --role=--no-cache", "--no-cache"],
      ["group run --role=a=b", "a=b"],
      ["group --tag=v1 run --role -x", "-x"],
      ["group run --role - a", "-"],
    ] as const
  ) {
    it(`gives an option its value: ${line}`, async () => {
      const { root, got } = makeTree();
      await parse({ words: line.split(" "), rest: [] }, root, fakeContext());
      assertEquals((got as [string, { role: string }][])[0]![1].role, role);
    });
  }

  it("takes a value in the same word as its letter, whatever the value is", async () => {
    const { root, got } = makeTree();
    const words = ["group", "run", "--role", "r", "-tv1x", "-p=a=b", "-p-1"];
    await parse({ words, rest: [] }, root, fakeContext());
    assertEquals(got, [["mlcli group run", {
      ...DEFAULTS,
      ...{ role: "r", tag: "v1x", pair: ["a=b", "-1"] },
    }]]);
  });

  it("may choose one of several in any case", async () => {
    const { root, got } = makeTree();
    const words = ["group", "run", "--role", "r", "--output", "JSON"];
    await parse({ words, rest: [] }, root, fakeContext());
    assertEquals(got, [["mlcli group run", { ...DEFAULTS, role: "r", output: "json" }]]);
  });
});
