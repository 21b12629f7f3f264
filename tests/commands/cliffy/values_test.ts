import { assertEquals, assertThrows } from "@std/assert";
import { type Given, readValues } from "../../../commands/cliffy/values.ts";
import { options } from "../../../commands/options/option.ts";
import { parsePort } from "../../../commands/options/parsers.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const OPTIONS = options({
  "<name>": {},
  "[rest...]": {},
  "[-- words...]": { parse: (text: string, source: string) => `${source}: ${text}` },
  "--port": {
    value: "port",
    description: "",
    default: "8080",
    variable: "MLCLI_PORT",
    parse: parsePort,
  },
  "--output": {
    value: "format",
    description: "",
    choices: ["text", "json"],
    variable: "MLCLI_OUTPUT",
  },
  "--pair": { value: "pair", description: "", repeatable: true },
  "--wait": { description: "" },
  "--no-cache": { description: "" },
  "--timeout": { value: "port", description: "", onlyWith: "--wait", parse: parsePort },
});

function read(
  given: Partial<Given>,
  variables: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const where = { path: "mlcli it", env: (name: string) => variables[name] };
  return readValues(OPTIONS, { options: {}, arguments: ["a"], rest: [], ...given }, where);
}

const DEFAULTS = {
  name: "a",
  rest: [],
  words: [],
  port: 8080,
  output: undefined,
  pair: [],
  wait: false,
  cache: true,
  timeout: undefined,
};

suite("the values of a command", () => {
  it("have their defaults", () => assertEquals(read({}), DEFAULTS));

  it("are parsed", () => {
    const given = { port: "1", output: "json", pair: ["a=b", "c"], wait: true, cache: false };
    assertEquals(read({ options: { ...given, timeout: "2" }, arguments: ["a", "b", "c"] }), {
      ...{ name: "a", rest: ["b", "c"], port: 1, output: "json", pair: ["a=b", "c"] },
      ...{ wait: true, cache: false, timeout: 2, words: [] },
    });
  });

  it("are those words that follow --", () => {
    assertEquals(read({ rest: ["", "--port"] }), {
      ...DEFAULTS,
      words: ['Argument "WORDS": ', 'Argument "WORDS": --port'],
    });
  });

  it("come from a variable where the command line has none, unless that is empty", () => {
    const variables = { MLCLI_PORT: "1", MLCLI_OUTPUT: "json" };
    assertEquals(read({}, variables), { ...DEFAULTS, port: 1, output: "json" });
    assertEquals(read({ options: { port: "2", output: "text" } }, variables), {
      ...DEFAULTS,
      ...{ port: 2, output: "text" },
    });
    assertEquals(read({}, { MLCLI_PORT: "", MLCLI_OUTPUT: "" }), DEFAULTS);
  });

  for (
    const [what, given, variables, message] of [
      [
        "by its option",
        { port: "x" },
        {},
        'Option "--port" must be a number from 0 to 65535, but got "x"',
      ],
      [
        "by its variable",
        {},
        { MLCLI_PORT: "x" },
        "MLCLI_PORT must be a number from 0 to 65535, " +
        'but got "x"',
      ],
      [
        "by its variable",
        {},
        { MLCLI_OUTPUT: "x" },
        'MLCLI_OUTPUT must be text or json, but got "x"',
      ],
      [
        "before its value",
        { timeout: "x" },
        {},
        'Option "--timeout" has no effect without "--wait"',
      ],
    ] as const
  ) {
    it(`are named ${what} where they are wrong: ${message}`, () => {
      const error = assertThrows(() => read({ options: given }, variables), UsageError);
      assertEquals([error.message, error.hint], [message, "See mlcli it --help"]);
    });
  }
});
