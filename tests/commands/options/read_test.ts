import { assertEquals, assertThrows } from "@std/assert";
import { type Options, options } from "../../../commands/options/option.ts";
import { parsePort } from "../../../commands/options/parsers.ts";
import { type Given, readOptions } from "../../../commands/options/read.ts";
import { parserOf } from "../../../runtime/app/configuration.ts";
import { MlcliError, UsageError } from "../../../runtime/errors.ts";
import { appObject } from "../../helpers/app_object.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

type Values = Readonly<Record<string, unknown>>;

/** The levels that set something. */
interface Sources {
  readonly typed?: Values;
  readonly arguments?: readonly string[];
  readonly rest?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Object `train` of the configuration file. */
  readonly object?: Values;
  /** Other members of the configuration, by property name. */
  readonly top?: Parameters<typeof appObject>[2];
}

function readWith(declared: Options, sources: Sources): Values {
  const { typed = {}, variables = {}, object = {}, top = {} } = sources;
  const given: Given = {
    options: typed,
    arguments: sources.arguments ?? [],
    rest: sources.rest ?? [],
  };
  const app = appObject("/apps", "churn", { ...top, sections: { ...top.sections, train: object } });
  const env = (name: string): string | undefined => variables[name];
  return readOptions(declared, { given, env, path: "mlcli it", file: { app, section: "train" } });
}

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

function read(sources: Sources): Values {
  return readWith(OPTIONS, { arguments: ["a"], ...sources });
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

suite("readOptions", () => {
  it("returns defaults", () => assertEquals(read({}), DEFAULTS));

  it("parses what was typed", () => {
    const typed = { port: "1", output: "JSON", pair: ["a=b", "c"], wait: true, cache: false };
    const values = read({ typed: { ...typed, timeout: "2" }, arguments: ["a", "b", "c"] });
    assertEquals(values, {
      ...{ name: "a", rest: ["b", "c"], port: 1, output: "json", pair: ["a=b", "c"] },
      ...{ wait: true, cache: false, timeout: 2, words: [] },
    });
  });

  it("returns the words after -- unchanged", () => {
    const words = ['Argument "WORDS": ', 'Argument "WORDS": --port'];
    assertEquals(read({ rest: ["", "--port"] }), { ...DEFAULTS, words });
  });

  it("reads a variable if nothing was typed, unless the variable is empty", () => {
    const variables = { MLCLI_PORT: "1", MLCLI_OUTPUT: "json" };
    assertEquals(read({ variables }), { ...DEFAULTS, port: 1, output: "json" });
    const typed = { port: "2", output: "text" };
    assertEquals(read({ typed, variables }), { ...DEFAULTS, port: 2, output: "text" });
    assertEquals(read({ variables: { MLCLI_PORT: "", MLCLI_OUTPUT: "" } }), DEFAULTS);
  });

  it("ignores a wrong variable if something was typed", () => {
    const sources = { typed: { port: "1" }, variables: { MLCLI_PORT: "x" } };
    assertEquals(read(sources), { ...DEFAULTS, port: 1 });
  });

  it("refuses a wrong value in the file even if another one was typed", () => {
    const declared = options({
      "--port": { value: "port", description: "", key: true, parse: parsePort },
    });
    const sources = { typed: { port: "1" }, object: { port: "x" } };
    const error = assertThrows(() => readWith(declared, sources), MlcliError);
    assertEquals(
      error.message,
      'churn.json: "port" in "train" must be a number from 0 to 65535, but got "x"',
    );
  });

  const PORT = "must be a number from 0 to 65535";
  const wrong: Readonly<Record<string, Sources>> = {
    [`Option "--port" ${PORT}, but got "x"`]: { typed: { port: "x" } },
    [`MLCLI_PORT ${PORT}, but got "x"`]: { variables: { MLCLI_PORT: "x" } },
    'MLCLI_OUTPUT must be text or json, but got "x"': { variables: { MLCLI_OUTPUT: "x" } },
    'Option "--timeout" has no effect without "--wait"': { typed: { timeout: "1" } },
  };
  for (const [message, sources] of Object.entries(wrong)) {
    it(`throws: ${message}`, () => {
      const error = assertThrows(() => read(sources), UsageError);
      assertEquals([error.message, error.hint], [message, "See mlcli it --help"]);
    });
  }
});

const TRACED = options({
  "--image": { value: "image", description: "", key: true, top: "image", traced: true },
  "--kms-key": {
    value: "key",
    description: "",
    key: true,
    traced: true,
    variable: "MLCLI_KMS_KEY",
  },
  "--env": {
    value: "pair",
    description: "",
    repeatable: true,
    key: true,
    traced: true,
    merged: true,
  },
  "--subnet": { value: "id", description: "", repeatable: true, key: true, traced: true },
  "--network-isolation": { description: "", key: true, traced: true },
  "--memory": { value: "size", description: "", key: "local", traced: true },
  "--format": {
    value: "format",
    description: "",
    key: true,
    setting: "output",
    default: "text",
    traced: true,
  },
});

suite("a traced option", () => {
  it("a traced option has the level and the place of each value", () => {
    const values = readWith(TRACED, {
      typed: { env: ["A=1"], networkIsolation: true },
      variables: { MLCLI_KMS_KEY: "v" },
      object: { kms_key: "f", env: { A: 0, B: 2 }, subnet: ["s-1"] },
      top: { image: "top:1", sections: { local: { memory: "4g" } } },
    });
    const env = '"env" in "train" of churn.json';
    assertEquals(values, {
      image: { value: "top:1", from: "file", where: '"image" in churn.json' },
      kmsKey: { value: "v", from: "variable", where: "MLCLI_KMS_KEY" },
      env: [
        { value: "A=0", from: "file", where: env },
        { value: "B=2", from: "file", where: env },
        { value: "A=1", from: "typed", where: "--env" },
      ],
      subnet: [{ value: "s-1", from: "file", where: '"subnet" in "train" of churn.json' }],
      networkIsolation: { value: true, from: "typed", where: "--network-isolation" },
      memory: { value: "4g", from: "file", where: '"memory" in "local" of churn.json' },
      format: { value: "text", from: "default", where: "--format" },
    });
  });

  it("typed entries replace those of the file unless the option is merged", () => {
    const { subnet } = readWith(TRACED, { typed: { subnet: ["t"] }, object: { subnet: ["f"] } });
    assertEquals(subnet, [{ value: "t", from: "typed", where: "--subnet" }]);
  });

  it("prefers the object of the command to the top level, and both to the user's settings", () => {
    const top = { image: "top:1" };
    const { image } = readWith(TRACED, { object: { image: "own:1" }, top });
    assertEquals(image, {
      value: "own:1",
      from: "file",
      where: '"image" in "train" of churn.json',
    });
  });

  it("uses the user's own setting before the default", async () => {
    await using directory = await makeDirectory({ "mlcli/config.json": '{"output": "json"}' });
    const { format } = readWith(TRACED, { variables: { XDG_CONFIG_HOME: directory.path } });
    assertEquals(format, { value: "json", from: "person", where: "output in mlcli config" });
  });

  it("uses the file before the user's own setting", async () => {
    await using directory = await makeDirectory({ "mlcli/config.json": '{"output": "json"}' });
    const variables = { XDG_CONFIG_HOME: directory.path };
    const { format } = readWith(TRACED, { variables, object: { format: "csv" } });
    const where = '"format" in "train" of churn.json';
    assertEquals(format, { value: "csv", from: "file", where });
  });
});

const EXCLUDING = options({
  "--group": {
    value: "group",
    description: "",
    key: true,
    excludes: ["--type", "--count"],
    hint: "Choose one",
    winsInFile: true,
  },
  "--type": { value: "type", description: "", key: true, variable: "TYPE" },
  "--count": { value: "number", description: "", key: true, default: "1", parse: Number },
  "--watch": { description: "", excludes: ["--strict", "--not-here"] },
  "--strict": { description: "", key: true },
  "--memory": { value: "mb", description: "", key: true, excludes: ["--type"] },
});

suite("options that exclude each other", () => {
  const excluded = (sources: Sources) => {
    const { group, type, count, watch, strict, memory } = readWith(EXCLUDING, sources);
    return { group, type, count, watch, strict, memory };
  };
  const NONE = excluded({});

  it("options that exclude each other are an error if both were typed", () => {
    const refused = (typed: Values) => {
      const { message, hint } = assertThrows(() => excluded({ typed }), UsageError);
      return { message, hint };
    };
    assertEquals(refused({ group: "g", type: "t" }), {
      message: 'Options "--group" and "--type" cannot be used together',
      hint: "Choose one",
    });
    assertEquals(refused({ watch: true, strict: true }), {
      message: 'Options "--watch" and "--strict" cannot be used together',
      hint: "See mlcli it --help",
    });
  });

  it("options that exclude each other are an error of the file if one object sets both", () => {
    const both = () => excluded({ object: { memory: 1, type: "t" } });
    const error = assertThrows(both, MlcliError);
    assertEquals(error instanceof UsageError, false);
    assertEquals(
      error.message,
      'churn.json: "memory" in "train" cannot be used together with "type"',
    );
  });

  for (
    const [title, sources, expected] of [
      ["the typed one wins over the file's", {
        typed: { type: "t" },
        object: { group: "g" },
      }, { ...NONE, type: "t" }],
      ["the typed one wins over a variable", {
        typed: { group: "g" },
        variables: { TYPE: "v" },
      }, { ...NONE, group: "g" }],
      ["a variable wins over the file", {
        variables: { TYPE: "v" },
        object: { memory: 1 },
      }, { ...NONE, type: "v" }],
      ["a typed default contradicts nothing that was typed", {
        typed: { group: "g", count: "1" },
      }, { ...NONE, group: "g" }],
      ["a typed default wins over the file's (schemathesis/schemathesis#4740)", {
        typed: { count: "1" },
        object: { group: "g", type: "t" },
      }, { ...NONE, type: "t" }],
      ["a switch that the file turns off excludes nothing", {
        variables: { TYPE: "v" },
        object: { strict: false },
        typed: { watch: true },
      }, { ...NONE, type: "v", watch: true }],
      ["an option can win in the file", {
        object: { group: "g", type: "t", count: 3 },
      }, { ...NONE, group: "g" }],
      ["an option that loses its place in the file excludes nothing there", {
        typed: { count: "2" },
        object: { group: "g", type: "t" },
      }, { ...NONE, type: "t", count: 2 }],
      ["a switch that was typed wins over the file's", {
        typed: { watch: true },
        object: { strict: true },
      }, { ...NONE, watch: true }],
    ] as const
  ) {
    it(`options that exclude each other at different levels: ${title}`, () =>
      assertEquals(excluded(sources), expected));
  }
});

const BOUND = options({
  "--image": { value: "image", description: "", key: true, top: "image", traced: true },
  "--launcher": {
    value: "name",
    description: "",
    key: true,
    top: "launcher",
    belongsTo: "--image",
  },
  "--tag": {
    value: "tag",
    description: "",
    key: true,
    default: "latest",
    variable: "TAG",
    onlyWithout: "--image",
    hint: "Write the tag into the name",
  },
  "--spot": { description: "", key: true },
  "--max-wait": {
    value: "duration",
    description: "",
    key: true,
    onlyWith: "--spot",
    hint: "Use spot",
  },
  "--network": {
    value: "network",
    description: "",
    key: true,
    trust: (network: string, source: string) => {
      if (network !== "none") throw new MlcliError(`${source} must be none`);
    },
  },
});

suite("options about another one", () => {
  it("an option that belongs to another one keeps the file's value only with the file's image", () => {
    const object = { image: "own:1", launcher: "script" };
    const launcher = (typed: Values) => readWith(BOUND, { typed, object })["launcher"];
    assertEquals(launcher({}), "script");
    assertEquals(launcher({ image: "own:1" }), "script");
    assertEquals(launcher({ image: "other:1" }), undefined);
    assertEquals(launcher({ image: "other:1", launcher: "toolkit" }), "toolkit");
    const top = { launcher: "script" } as const;
    assertEquals(readWith(BOUND, { typed: { image: "a:1" }, top })["launcher"], undefined);
  });

  it("a typed option is refused if an option of any level leaves it without effect", () => {
    const top = { image: "own:1" };
    const error = assertThrows(() => readWith(BOUND, { typed: { tag: "v1" }, top }), UsageError);
    assertEquals(error.message, 'Option "--tag" has no effect with the existing image own:1');
    assertEquals(error.hint, "Write the tag into the name");
    assertEquals(readWith(BOUND, { variables: { TAG: "v1" }, top })["tag"], "v1");
    assertEquals(readWith(BOUND, { typed: { tag: "latest" }, top })["tag"], "latest");
    const variables = { TAG: "v1" };
    assertEquals(readWith(BOUND, { typed: { tag: "v1" }, variables, top })["tag"], "v1");
    assertEquals(readWith(BOUND, { object: { tag: "v1" }, top })["tag"], "v1");
  });

  it("an error about a missing option names the place of the other one (urfave/cli#1167)", () => {
    const refused = (sources: Sources) => {
      const error = assertThrows(() => readWith(BOUND, sources), MlcliError);
      return [error.message, error.hint, error instanceof UsageError];
    };
    assertEquals(refused({ typed: { maxWait: "2h" } }), [
      ...['Option "--max-wait" has no effect without "--spot"', "Use spot", true],
    ]);
    assertEquals(refused({ object: { max_wait: "2h" } }), [
      ...['churn.json: "max_wait" in "train" has no effect without "--spot"', "Use spot", false],
    ]);
    const typed = { spot: true };
    assertEquals(readWith(BOUND, { typed, object: { max_wait: "2h" } })["maxWait"], "2h");
  });

  it("a missing option is no error if the file, which can set it, is not read", () => {
    const given: Given = { options: { maxWait: "2h" }, arguments: [], rest: [] };
    const sources = { given, env: () => undefined, path: "mlcli it" };
    assertEquals(readOptions(BOUND, sources).maxWait, "2h");
  });

  it("an option is ignored if the option that it requires is turned off (aws/aws-sam-cli#6899)", () => {
    const object = { spot: true, max_wait: "2h" };
    const { spot, maxWait } = readWith(BOUND, { typed: { spot: false }, object });
    assertEquals({ spot, maxWait }, { spot: false, maxWait: undefined });
  });

  it("an option can refuse a value from the file that the user can type", () => {
    const object = { network: "host" };
    const error = assertThrows(() => readWith(BOUND, { object }), MlcliError);
    assertEquals(error.message, 'churn.json: "network" in "train" must be none');
    assertEquals(readWith(BOUND, { typed: { network: "host" }, object })["network"], "host");
  });
});

suite("parserOf", () => {
  it("returns a parser with the rule of a key in the configuration file", () => {
    const parse = parserOf("image");
    assertEquals(parse("team/torch:2", "it"), "team/torch:2");
    const error = assertThrows(() => parse("-x", 'Option "--image"'), UsageError);
    assertEquals(
      error.message,
      'Option "--image" must be an image name, such as "python:3.12", but got "-x"',
    );
  });
});
