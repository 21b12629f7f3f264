import { assert, assertEquals } from "@std/assert";
import {
  channelDifferences,
  commandDifferences,
  environmentDifferences,
  hyperparameterDifferences,
  networkDifferences,
} from "../../../runtime/contract/differences.ts";
import type { Variables } from "../../../runtime/contract/variables.ts";
import type { Message } from "../../../runtime/messages.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A case: the input, and the messages after "SageMaker rejects ". */
type Row<Given> = readonly [name: string, given: Given, refused: readonly string[]];

function check<Given>(
  title: string,
  rows: readonly Row<Given>[],
  differences: (given: Given) => readonly Message[],
): void {
  suite(title, () => {
    for (const [name, given, refused] of rows) {
      it(name, () => {
        const found = differences(given);
        assertEquals(
          found.map(({ message }) => message),
          refused.map((words) => `SageMaker rejects ${words}`),
        );
        for (const { hint } of found) assert(/^[A-Z].*[^.]$|\. .*\.$/.test(hint!), hint);
      });
    }
  });
}

/** As many names, with one value each. */
function many(count: number, value = "1"): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
}

const LONG_NAME = "n".repeat(257);
const CUT = `"${"n".repeat(40)}..."`;

check("hyperparameterDifferences", [
  ["none are as many as may be", {}, []],
  ["100 may be, 101 not", many(100), []],
  ["101", many(101), ["more than 100 hyperparameters (found 101)"]],
  ["names of 256 characters may be, 257 not", { ["n".repeat(256)]: "" }, []],
  ["257", { [LONG_NAME]: "" }, [`hyperparameter names longer than 256 characters: ${CUT}`]],
  ["values of 2,500 characters may be, 2,501 not", { a: "x".repeat(2500) }, []],
  ["2,501", { a: "x".repeat(2501), b: "" }, [
    'hyperparameter values longer than 2,500 characters: "a"',
  ]],
  ["an emoji counts once, not by its two units nor its four bytes", {
    ["😀".repeat(256)]: "😀".repeat(2500),
  }, []],
  ["2,501 emoji", { "é": "😀".repeat(2501) }, [
    'hyperparameter values longer than 2,500 characters: "é"',
  ]],
  ["three are named, and the others counted", many(5, "x".repeat(2501)), [
    'hyperparameter values longer than 2,500 characters: "n0", "n1", "n2" and 2 more',
  ]],
  ["line breaks, in names and in values", { "a\nb": "1", c: "1\r\n2", d: "1\t2" }, [
    'hyperparameters with line breaks: "a\ufffdb", "c"',
  ]],
  ["what a terminal would obey is not shown", { "a\x1b[31m\x9b\u202eb": "x".repeat(2501) }, [
    'hyperparameter values longer than 2,500 characters: "a\ufffd[31m\ufffd\ufffdb"',
  ]],
  ["a long name is cut between characters", { ["😀".repeat(41)]: "\n" }, [
    `hyperparameters with line breaks: "${"😀".repeat(40)}..."`,
  ]],
  ["several at once", { ...many(101), [LONG_NAME]: "x".repeat(2501) }, [
    "more than 100 hyperparameters (found 102)",
    `hyperparameter names longer than 256 characters: ${CUT}`,
    `hyperparameter values longer than 2,500 characters: ${CUT}`,
  ]],
], hyperparameterDifferences);

const channels = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

check("channelDifferences", [
  ["1 and 20 may be", ["training"], []],
  ["20", channels(20), []],
  ["21", channels(21), ["more than 20 channels (found 21)"]],
  ["names of 64 characters may be", ["a.b-C_9", "x".repeat(64)], []],
  ["65, others than letters and digits", ["x".repeat(65), "a b", "é", "ok"], [
    `these channel names: "${"x".repeat(40)}...", "a b", "é"`,
  ]],
], (names) => channelDifferences(names));

check("channelDifferences of what is empty", [
  ["none", [], []],
  ["some", ["b", "a", "x\u001b", "d"], [
    'empty channels: "b", "a", "x\ufffd" and 1 more',
  ]],
], (empty) => channelDifferences(["a", "b", "c", "d"], empty));

const SECRET = "hunter2";

for (
  const [role, length, unit, character] of [
    ["train", 512, "characters", "😀"],
    ["process", 256, "characters", "😀"],
    ["serve", 1024, "bytes", "x"],
  ] as const
) {
  const most = length.toLocaleString("en");
  check(`environmentDifferences of ${role}`, [
    ["100 may be", many(100), []],
    ["101", many(101), ["more than 100 environment variables (found 101)"]],
    [`names and values of ${most} may be`, {
      ["N".repeat(length)]: character.repeat(length),
      _a1: "line 1\nline 2",
    }, []],
    ["one more in a value", { TOKEN: SECRET + character.repeat(length - 6) }, [
      `environment variable values longer than ${most} ${unit}: "TOKEN"`,
    ]],
    ["one more in a name", { ["N".repeat(length + 1)]: SECRET }, [
      `environment variable names longer than ${most} ${unit}: "${"N".repeat(40)}..."`,
    ]],
    ["names that are none", { "1A": SECRET, "A-B": SECRET, "": SECRET, "é": SECRET, A: SECRET }, [
      'these environment variable names: "1A", "A-B", "" and 1 more',
    ]],
  ], (variables) => environmentDifferences(role, variables));
}

/** Variables of so many bytes all together, each of 1,024 bytes but the last. */
function bytes(count: number): Record<string, string> {
  const names = Array.from({ length: Math.ceil(count / 1024) }, (_, index) => `A${10 + index}`);
  return Object.fromEntries(
    names.map((name, index) => [name, "x".repeat(Math.min(1024, count - index * 1024) - 3)]),
  );
}

check<Variables>("environmentDifferences of a server's bytes", [
  ["an emoji counts four times", { A: "😀".repeat(256), B: "😀".repeat(256) + "x" }, [
    'environment variable values longer than 1,024 bytes: "B"',
  ]],
  ["32,768 bytes may be all together", bytes(32_768), []],
  ["more may not", bytes(32_772), [
    "more than 32,768 bytes of environment variables, names and values together (found 32,772)",
  ]],
], (variables) => environmentDifferences("serve", variables));

type Line = readonly [entrypoint: readonly string[], args: readonly string[]];
const words = (count: number, word = "x") => Array.from({ length: count }, () => word);

check<Line>("commandDifferences", [
  ["the image's own entry point, and no arguments", [[], []], []],
  ["100 of 256 characters may be", [words(100), words(100, "😀".repeat(256))], []],
  ["101 arguments", [[], words(101)], [
    "more than 100 arguments in a processing job (found 101)",
  ]],
  ["101 parts of an entry point", [words(101), []], [
    "more than 100 arguments in an entry point (found 101)",
  ]],
  ["longer ones, named by their place alone", [["python3", SECRET.repeat(40)], [
    "ok",
    SECRET.repeat(40),
    ...words(4, SECRET.repeat(40)),
  ]], [
    "arguments longer than 256 characters in an entry point: argument 2",
    "arguments longer than 256 characters in a processing job: argument 2, argument 3, argument 4 " +
    "and 2 more",
  ]],
  ["one of 257", [[], ["x".repeat(257)]], [
    "arguments longer than 256 characters in a processing job: argument 1",
  ]],
  ["empty ones", [[""], ["a", ""]], [
    "empty arguments in an entry point: argument 1",
    "empty arguments in a processing job: argument 2",
  ]],
  ["line breaks", [[], ["a\nb"]], ["arguments with line breaks in a processing job: argument 1"]],
], ([entrypoint, args]) => commandDifferences("processing", entrypoint, args));

suite("the values of variables and arguments", () => {
  it("are never shown, whatever is wrong with them", () => {
    const values = [SECRET, SECRET.repeat(200), `${SECRET}\n`];
    const variables = Object.fromEntries(values.flatMap((value, index) => [
      [`A${index}`, value],
      [`${index}-`, value],
      ["N".repeat(2000 + index), value],
    ]));
    const all = [
      ...(["train", "process", "serve"] as const).flatMap((role) =>
        environmentDifferences(role, variables)
      ),
      ...commandDifferences("processing", values, values),
    ];
    assert(all.length > 10);
    assertEquals(JSON.stringify(all).includes(SECRET), false);
  });
});

suite("networks of this machine", () => {
  for (const network of [undefined, "none", "bridge", "default"]) {
    it(`differ from SageMaker not: ${network}`, () => {
      assertEquals(networkDifferences(network), []);
    });
  }

  for (
    const [network, words] of [
      ["host", "The code uses this machine's network (--network host)"],
      ["db", 'The code uses the Docker network "db"'],
    ] as const
  ) {
    it(`differ from SageMaker: ${network}`, () => {
      assertEquals(networkDifferences(network).map(({ message }) => message), [
        `${words}, which SageMaker does not have`,
      ]);
    });
  }
});
