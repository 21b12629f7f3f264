import { assertEquals, assertThrows } from "@std/assert";
import { parseAwsTag, parseInstances } from "../../../commands/options/job_parsers.ts";
import { options } from "../../../commands/options/option.ts";
import { unknownKeysIn } from "../../../commands/options/file.ts";
import { readOptions } from "../../../commands/options/read.ts";
import type { App } from "../../../runtime/app/app.ts";
import { givenVariable } from "../../../runtime/contract/variables.ts";
import { unknownTopLevelKeys } from "../../../runtime/app/unknown_keys.ts";
import { MlcliError, UsageError } from "../../../runtime/errors.ts";
import { appObject } from "../../helpers/app_object.ts";
import { it, suite } from "../../helpers/suite.ts";

const OPTIONS = options({
  "--ec2-type": { alias: "--instance-type", value: "type", description: "", key: true },
  "--instance-count": {
    value: "number",
    description: "",
    key: true,
    default: "1",
    parse: parseInstances("process"),
  },
  "--execution-role": { value: "arn", description: "", key: true, top: "execution_role" },
  "--tag": { value: "pair", description: "", repeatable: true, key: true, parse: parseAwsTag },
  "--env": {
    value: "variable",
    description: "",
    repeatable: true,
    key: true,
    parse: givenVariable,
  },
  "--subnet": { value: "id", description: "", repeatable: true, key: true },
  "--spot": { description: "", key: true },
  "--no-cache": { description: "", key: true },
  "--format": { value: "format", description: "", choices: ["a", "b"], key: true },
  "--env-file": { value: "file", description: "", repeatable: true, path: "typed" },
  "--region": { value: "region", description: "" },
  "--no-wait": { description: "" },
});

function appWith(train: Readonly<Record<string, unknown>>, executionRole?: string): App {
  return appObject("/apps", "churn", { executionRole, sections: { train } });
}

/** Returns the values that the file sets, without defaults. */
function read(values: Readonly<Record<string, unknown>>, executionRole?: string): unknown {
  const file = { app: appWith(values, executionRole), section: "train" } as const;
  const given = { options: {}, arguments: [], rest: [] };
  const sources = { given, env: () => undefined, path: "mlcli it" };
  const [own, defaults] = [{ ...sources, file }, sources].map((one) => readOptions(OPTIONS, one));
  const entries = Object.entries(own!).filter(([name, value]) =>
    JSON.stringify(value) !== JSON.stringify(defaults![name as keyof typeof defaults])
  );
  return Object.fromEntries(entries);
}

suite("options in the configuration file", () => {
  it("are those of the command line, in snake_case", () => {
    const settings = read({
      ec2_type: "ml.m5.large",
      instance_count: 2,
      subnet: ["a", "b"],
      spot: true,
      no_cache: true,
      format: "b",
    });
    assertEquals(settings, {
      ec2Type: "ml.m5.large",
      instanceCount: 2,
      subnet: ["a", "b"],
      spot: true,
      cache: false,
      format: "b",
    });
  });

  it("have the names that other tools know, too", () => {
    assertEquals(read({ instance_type: "x" }), { ec2Type: "x" });
  });

  it("are written as pairs or as an object", () => {
    const tags = [{ key: "team", value: "a" }, { key: "n", value: "1" }];
    assertEquals(read({ tag: { team: "a", n: 1 } }), { tag: tags });
    assertEquals(read({ tag: ["team=a", "n=1"] }), { tag: tags });
    assertEquals(read({ tag: "team=a" }), { tag: tags.slice(0, 1) });
  });

  it("count as not given where they are null or empty", () => {
    assertEquals(read({ ec2_type: "", spot: null, no_cache: "" }), {});
  });

  it("win over the top level", () => {
    assertEquals(read({}, "top"), { executionRole: "top" });
    assertEquals(read({ execution_role: "own" }, "top"), { executionRole: "own" });
    assertEquals(read({ execution_role: "" }, "top"), { executionRole: "top" });
  });

  it("must be what the option takes, and no wrong one is shown that may be a secret", () => {
    const wrong: readonly (readonly [Record<string, unknown>, string])[] = [
      [{ instance_count: "many" }, 'churn.json: "instance_count" in "train" must be a whole'],
      [{ instance_count: 101 }, 'in "train" must be a whole number, 1 to 100, but got "101"'],
      [
        { ec2_type: ["a"] },
        'churn.json: "ec2_type" in "train" must be a string or a number, but is an array',
      ],
      [{ spot: "yes" }, '"spot" in "train" must be true or false, but is a string'],
      [{ format: "c" }, '"format" in "train" must be a or b, but got "c"'],
      [{ format: "A" }, '"format" in "train" must be a or b, but got "A"'],
      [{ subnet: [1] }, '"subnet" in "train" must be a string or a list of strings, but is a'],
      [
        { env: { A: ["secret"] } },
        '"env" in "train": "A" must be a string, a number, true or false',
      ],
      [{ env: { SEED: 2 ** 60 } }, '"env" in "train": the number "SEED" is too large'],
    ];
    for (const [values, words] of wrong) {
      const error = assertThrows(() => read(values), MlcliError);
      assertEquals([error.message, error.message.includes(words)], [error.message, true]);
      assertEquals(error instanceof UsageError, false);
      assertEquals(`${error.message} ${error.hint}`.includes("secret"), false);
    }
  });

  it("get a warning where they are almost one, or cannot stand there", () => {
    const app = appWith({
      ec2_typ: "x",
      instanceCount: 2,
      region: "eu-west-1",
      env_file: "../../.aws/credentials",
      no_wait: true,
      my_own_notes: 1,
    });
    const findings = unknownKeysIn(app, "train", OPTIONS);
    assertEquals(findings.map(({ message, hint }) => `${message}. ${hint}`), [
      'churn.json: unknown key "ec2_typ" in "train". Did you mean "ec2_type"?',
      'churn.json: unknown key "instanceCount" in "train". Did you mean "instance_count"?',
      'churn.json: "region" in "train" has no effect. Set "cloud_region" at the top ' +
      "level of the file",
      'churn.json: "env_file" in "train" has no effect. Use "env": {"NAME": "VALUE"}, ' +
      "or --env-file on the command line",
      'churn.json: "no_wait" in "train" has no effect. Use --no-wait on the command line',
    ]);
  });

  it("of the top level get a warning where they are almost one", () => {
    const otherKeys = ["cloud-region", "trains", "owner", "s3prefix"];
    const findings = unknownTopLevelKeys(appObject("/apps", "churn", { otherKeys }));
    assertEquals(findings.map(({ message, hint }) => `${message}. ${hint}`), [
      'churn.json: unknown key "cloud-region". Did you mean "cloud_region"?',
      'churn.json: unknown key "trains". Did you mean "train"?',
      'churn.json: unknown key "s3prefix". Did you mean "s3_prefix"?',
    ]);
  });
});
