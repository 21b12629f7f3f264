/** Options of each command that exclude or require each other, from the declarations. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { type Command, isGroup } from "../../../commands/command.ts";
import { type Flag, type NamedOption, optionsOf } from "../../../commands/options/option.ts";
import { type Given, readOptions } from "../../../commands/options/read.ts";
import type { SectionName } from "../../../runtime/app/configuration.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import type { Setting } from "../../../runtime/setting.ts";
import { appObject } from "../../helpers/app_object.ts";
import { commandPaths, declarationOf } from "../../helpers/command_paths.ts";
import { it, suite } from "../../helpers/suite.ts";

async function commandAt(path: string): Promise<Command> {
  const declared = await declarationOf(path.split(" "));
  assert(!isGroup(declared), path);
  return declared;
}

type Values = Readonly<Record<string, unknown>>;

async function read(path: string, typed: Values, object: Values, section?: SectionName) {
  const given: Given = { options: typed, arguments: [], rest: [] };
  const sections = section === undefined ? {} : { [section]: object };
  const file = { app: appObject("/apps", "churn", { sections }), section };
  const sources = { given, env: () => undefined, path: `mlcli ${path}`, file };
  return readOptions((await commandAt(path)).options, sources) as Values;
}

/** Pairs that cannot be typed together, with a value for each; `true` is a switch. */
const PAIRS: Readonly<Record<string, readonly (readonly [string, unknown, string, unknown])[]>> = {
  "local train": [
    ["--watch", true, "--strict", true],
    ["--watch", true, "--interactive", true],
    ["--watch", true, "--stop-after", "60"],
    ["--watch", true, "--instance-count", "2"],
    ["--interactive", true, "--instance-count", "2"],
    ["--dry-run", true, "--watch", true],
    ["--dry-run", true, "--interactive", true],
    ["--publish", ["5678"], "--strict", true],
    ["--publish", ["5678"], "--instance-count", "2"],
    ["--aws-credentials", "dev", "--strict", true],
    ["--network-isolation", true, "--network", "bridge"],
    ["--command", ["ls"], "--entry-point", "a.py"],
    ["--distribution", "torchrun", "--command", ["ls"]],
  ],
  "local process": [
    ["--file", "a.py", "--command", ["ls"]],
    ["--file", "a.py", "--entry-point", "b.py"],
    ["--interactive", true, "--instance-count", "2"],
  ],
  "local deploy": [
    ["--watch", true, "--foreground", true],
    ["--watch", true, "--replace", true],
    ["--watch", true, "--strict", true],
    ["--watch", true, "--run", "last"],
    ["--replace", true, "--foreground", true],
  ],
  "local shell": [["--publish", ["5678"], "--strict", true]],
  train: [
    ["--instance-group", ["a=ml.m5.large:1"], "--ec2-type", "ml.m5.large"],
    ["--instance-group", ["a=ml.m5.large:1"], "--instance-count", "2"],
  ],
  transform: [
    ["--model", "m", "--job", "j"],
    ["--model", "m", "--endpoint", "e"],
    ["--job", "j", "--endpoint", "e"],
  ],
  deploy: [
    ["--model", "dir", "--run", "last"],
    ["--ec2-type", "ml.m5.large", "--memory-size-in-mb", "1024"],
    ["--ec2-type", "ml.m5.large", "--max-concurrency", "5"],
    ["--instance-count", "2", "--memory-size-in-mb", "1024"],
    ["--instance-count", "2", "--max-concurrency", "5"],
    ["--timeout", "60", "--no-wait", false],
  ],
  init: [
    ["--from", ".", "--image", "a:1"],
    ["--image", "a:1", "--base-image", "b:1"],
    ["--image", "a:1", "--python-version", "3.12"],
    ["--image", "a:1", "--requirements", "r.txt"],
    ["--image", "a:1", "--image-name", "a"],
    ["--base-image", "a:1", "--python-version", "3.12"],
  ],
};

/** Options that require another one, with a value. */
const REQUIRING: Readonly<Record<string, readonly (readonly [string, unknown, string])[]>> = {
  train: [["--max-wait", "2h", "--spot"], ["--subnet", ["subnet-1"], "--security-group"]],
  deploy: [["--alarm", ["a"], "--canary"], ["--security-group", ["sg-1"], "--subnet"]],
  "delete-endpoint": [["--timeout", "60", "--wait"]],
  init: [["--source-dir", "src", "--image"], ["--data", "1MB", "--from"]],
};

function nameOf(flag: string): string {
  return flag.replace(/^--(no-)?/, "").replace(
    /-(.)/g,
    (_, letter: string) => letter.toUpperCase(),
  );
}

async function allCommands(): Promise<readonly Command[]> {
  const declared = await Promise.all((await commandPaths()).map(declarationOf));
  return declared.filter((one): one is Command => !isGroup(one));
}

suite("the relations of options", () => {
  for (const [path, pairs] of Object.entries(PAIRS)) {
    for (const [one, value, other, otherValue] of pairs) {
      it(`mlcli ${path} refuses ${one} with ${other}`, async () => {
        const typed = { [nameOf(one)]: value, [nameOf(other)]: otherValue };
        const { options } = await commandAt(path);
        const sources = { given: { options: typed, arguments: [], rest: [] } };
        const refused = () =>
          readOptions(options, { ...sources, env: () => undefined, path: `mlcli ${path}` });
        const { message } = assertThrows(refused, MlcliError);
        assertEquals(message, `Options "${one}" and "${other}" cannot be used together`);
      });
    }
  }

  for (const [path, rows] of Object.entries(REQUIRING)) {
    for (const [flag, value, other] of rows) {
      it(`mlcli ${path} refuses ${flag} without ${other}`, async () => {
        const section = path === "train" || path === "deploy" ? path : undefined;
        const error = await read(path, { [nameOf(flag)]: value }, {}, section)
          .then(() => undefined, (error) => error as MlcliError);
        assertEquals(error?.message, `Option "${flag}" has no effect without "${other}"`);
      });
    }
  }

  it("every excluded or required option exists in a command that has both options", async () => {
    const commands = await allCommands();
    const together = new Set(commands.flatMap(({ options }) => {
      const flags = optionsOf(options).map(([flag]) => flag);
      return flags.flatMap((one) => flags.map((other) => `${one} ${other}`));
    }));
    const related = ([flag, option]: NamedOption): readonly string[] => {
      const { excludes = [], onlyWith } = option;
      const more = option.value === undefined ? [] : [option.onlyWithout, option.belongsTo];
      return [...excludes, onlyWith, ...more].filter((one): one is Flag => one !== undefined)
        .map((other) => `${flag} ${other}`);
    };
    const pairs = commands.flatMap(({ options }) => optionsOf(options).flatMap(related));
    assertEquals(pairs.filter((pair) => !together.has(pair)), []);
    assert(pairs.length > 50);
  });

  for (
    const [path, key, value] of [
      ["process", "file", "p.py"],
      ["process", "command", ["ls"]],
      ["train", "launcher", "script"],
    ] as const
  ) {
    it(`mlcli ${path} uses the file's ${key} only with the file's image`, async () => {
      const object = { image: "own:1", [key]: value };
      const { [key]: own } = await read(path, {}, object, path);
      const { [key]: other } = await read(path, { image: "other:1" }, object, path);
      const { [key]: none } = await read(path, { image: "other:1" }, {}, path);
      assertEquals(key === "launcher" ? (own as Setting<string>).value : own, value);
      assertEquals(other, none);
    });
  }

  it("the configuration file cannot copy a variable from the shell, even if --env was typed", async () => {
    for (const env of [["TOKEN"], ["TOKEN", "A=1"]]) {
      const error = await read("train", { env: ["B=2"] }, { env }, "train")
        .then(() => undefined, (error) => error as MlcliError);
      assertEquals(
        error?.message,
        'churn.json: "env" in "train" must have a value for each variable',
      );
    }
  });

  it("the configuration file cannot choose a network or copy variables from the shell", async () => {
    const message = async (path: string, object: Values, section: SectionName) =>
      await read(path, {}, object, section).then(() => "", (error: Error) => error.message);
    assertEquals(
      await message("local train", { network: "db" }, "local"),
      'churn.json: "network" in "local" must be bridge or none, not "db"',
    );
    for (const section of ["train", "process", "deploy", "transform"] as const) {
      assertEquals(
        await message(section, { env: ["TOKEN"] }, section),
        `churn.json: "env" in "${section}" must have a value for each variable`,
      );
    }
  });
});
