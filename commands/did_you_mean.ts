/** Suggestions for an unknown command or option: similar names, or names of other programs. */

import { UsageError } from "../runtime/errors.ts";
import { CONFIGURATION_KEYS } from "../runtime/app/configuration.ts";
import { shellWord } from "../runtime/app/typed_path.ts";
import { alternatives, closest, sentences } from "../runtime/text.ts";
import cloudGroup from "./cloud/cloud.ts";
import { type Command, type Group, isGroup } from "./command.ts";
import { type NamedOption, type Options, restArgumentOf } from "./options/option.ts";
import { topicOf } from "./topic.ts";
import { usageError } from "./usage.ts";

/** The names that lead to a command, in one text: `local train`. */
type Path = string;

/**
 * Names of mlcli's commands in other programs, and commands that are only in `local`. Below `local`, the
 * suggestions are commands of `local`.
 */
const FOREIGN_COMMANDS: Readonly<Record<string, readonly Path[]>> = {
  "batch-transform": ["local transform", "transform"],
  compare: ["local list-jobs"],
  delete: ["delete-endpoint"],
  down: ["local stop"],
  endpoints: ["list-endpoints"],
  exec: ["local shell"],
  fit: ["local train", "train"],
  invoke: ["local invoke", "invoke-endpoint"],
  jobs: ["local list-jobs", "list-jobs"],
  kill: ["local stop", "stop-job"],
  list: ["local list-jobs", "list-jobs", "list-endpoints"],
  new: ["init"],
  predict: ["local invoke", "invoke-endpoint"],
  ps: ["local status", "list-jobs", "list-endpoints"],
  rm: ["local stop", "delete-endpoint"],
  run: ["local train", "local process"],
  runs: ["local list-jobs", "list-jobs"],
  serve: ["local deploy", "deploy"],
  start: ["local deploy", "deploy"],
  status: ["local status", "list-jobs", "list-endpoints"],
  stop: ["local stop", "stop-job", "delete-endpoint"],
  "stop-job": ["local stop"],
  test: ["local train", "local invoke"],
  up: ["local deploy"],
  version: ["--version"],
};

/** Names of mlcli's options in other programs; the first that the command has is suggested. */
const FOREIGN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  "-e": ["--env"],
  "-n": ["--tail"],
  "-v": ["--version"],
  "--assemble-with": ["--assemble"],
  "--batch-strategy": ["--strategy"],
  "--data": ["--input", "--input-s3-dir", "--input-s3-location"],
  "--entrypoint": ["--command"],
  "--filter": ["--input-filter"],
  "--hp": ["--hyperparameter"],
  "--input-dir": ["--input-s3-location"],
  "--join-source": ["--join"],
  "--json": ["--content-type application/json"],
  "--max-concurrent-transforms": ["--max-concurrency"],
  "--max-payload-in-mb": ["--max-payload"],
  "--name": [
    ...["--endpoint-name", "--base-job-name", "--name-contains", "--repository", "--app-name"],
  ],
  "--split-type": ["--split"],
  "--tag": ["--docker-tag"],
  "--timeout": ["--stop-after", "--max-run"],
  "--verbose": ["--debug"],
};

/**
 * @param typed names of the group: `["local"]`.
 * @param next word after the unknown name: `train` in `LOCAL train`.
 */
export async function unknownCommandError(
  typed: readonly string[],
  name: string,
  root: Group,
  next = "",
): Promise<UsageError> {
  const message = `Unknown command "${name}"`;
  const path = ["mlcli", ...typed].join(" ");
  const isCloud = root.commands[typed[0] ?? ""]?.isPrefix === true;
  const all = (await pathsOf(root))
    .filter((one) => !isCloud || Object.hasOwn(cloudGroup.commands, one));
  const isElsewhere = isCloud && Object.hasOwn(root.commands, name);
  const suggested = (isElsewhere ? [name] : suggestedCommands(isCloud ? [] : typed, name, all))
    .map((path) => withWord(path, next));
  const whole = `${suggested[0]} ${next.toLowerCase()}`;
  const isGroup = suggested.length === 1 && all.includes(whole);
  const hint = hintTo(isGroup ? [whole] : suggested, path);
  return hint === undefined ? usageError(path, message) : new UsageError(message, { hint });
}

/** How a name or a port follows a command. */
const WORD_FORMS: Readonly<Record<Path, readonly [word: RegExp, form: string]>> = {
  "delete-endpoint": [/^[a-z]/i, "-n"],
  "invoke-endpoint": [/^[a-z]/i, "-n"],
  "local invoke": [/^\d+$/, "-p"],
  "local stop": [/^\d+$/, "-p"],
  "stop-job": [/^[a-z]/i, ""],
};

/** Returns the command with a name or a port that was typed: `delete-endpoint -n shop`. */
function withWord(path: Path, word: string): Path {
  const [accepted, form = ""] = WORD_FORMS[path] ?? [];
  if (!accepted?.test(word)) return path;
  return [path, form, shellWord(word)].filter((part) => part !== "").join(" ");
}

function suggestedCommands(
  names: readonly string[],
  name: string,
  all: readonly Path[],
): readonly Path[] {
  const group = names.join(" ");
  if (Object.hasOwn(FOREIGN_COMMANDS, name)) {
    const meant = FOREIGN_COMMANDS[name]!.filter((path) =>
      path.startsWith(group) && (all.includes(path) || path.startsWith("-"))
    );
    if (meant.length > 0) return meant;
  }
  const own = all.filter((path) => groupOf(path) === group);
  const others = all.filter((path) => groupOf(path) !== group);
  const same = others.filter((path) => lastOf(path) === name);
  const near = [...same, ...closeTo(name, own)];
  // No hint may lead from `local` to the deletion of an endpoint.
  const safe = others.filter((path) => group === "" || path !== "delete-endpoint");
  const found = near.length > 0 ? near : closeTo(name, safe);
  // Who mistypes `train` sees both: training on SageMaker costs money.
  const twins = found.map((path) => groupOf(path) === "local" ? lastOf(path) : `local ${path}`)
    .filter((twin) => names.length === 0 && all.includes(twin));
  return [...new Set([...found, ...twins])];
}

function groupOf(path: Path): string {
  return path.split(" ").slice(0, -1).join(" ");
}

function lastOf(path: Path): string {
  return path.split(" ").at(-1)!;
}

/** Those with the closest last name, or all whose last name begins so. */
function closeTo(name: string, paths: readonly Path[]): readonly Path[] {
  const near = closest(name, paths.map(lastOf));
  return near === undefined
    ? paths.filter((path) => beginsWith(lastOf(path), name))
    : paths.filter((path) => lastOf(path) === near);
}

/** A word of less than three letters may be the beginning of anything. */
function beginsWith(whole: string, typed: string): boolean {
  return typed.length >= 3 && whole.startsWith(typed.toLowerCase());
}

function hintTo(paths: readonly Path[], path: string): string | undefined {
  if (paths.length === 0) return undefined;
  const commands = (paths: readonly Path[]) => paths.map((one) => `mlcli ${one}`);
  const here = paths.filter((one) => one.startsWith("local "));
  const there = paths.filter((one) => !here.includes(one));
  if (here.length > 0 && there.length > 0) {
    return `On this machine, use ${alternatives(commands(here))}. ` +
      `On SageMaker, use ${alternatives(commands(there))}.`;
  }
  return `Did you mean ${alternatives(commands(paths))}? See ${path} --help`;
}

async function pathsOf(group: Group, above: readonly string[] = []): Promise<readonly Path[]> {
  const paths: Path[] = [];
  for (const [name, { load, isHidden, isPrefix }] of Object.entries(group.commands)) {
    if (isHidden) continue;
    const names = [...above, name];
    paths.push(names.join(" "));
    const declared = (await load()).default;
    if (isGroup(declared) && !isPrefix) paths.push(...await pathsOf(declared, names));
  }
  return paths;
}

/** Suggests an option for a name or a port: `mlcli local stop 8090`. */
export function unexpectedArgumentError(
  path: string,
  argument: string,
  options: Options,
): UsageError {
  const message = `Unexpected argument: "${argument}"`;
  if (/^(?:s|min|m|h|d|[kmgt]i?b?)$/i.test(argument)) {
    return new UsageError(message, { hint: "Write a value and its unit as one word, such as 5m" });
  }
  const meant = /^\d{4,5}$/.test(argument)
    ? "--port"
    : /^\d+$/.test(argument)
    ? "--run"
    : "--endpoint-name";
  if (Object.hasOwn(options, meant)) {
    return new UsageError(message, {
      hint: `Pass it as an option: ${path} ${meant} ${shellWord(argument)}`,
    });
  }
  // The code of a training job has no arguments, only a command has.
  const takesRest = restArgumentOf(options) !== undefined && !("--hyperparameter" in options);
  return usageError(path, message, takesRest);
}

interface UnknownOption {
  /** The path to the command: `local`, `train`. */
  readonly names: readonly string[];
  /** As it was typed, without its value. */
  readonly flag: string;
  readonly known: readonly NamedOption[];
  /** The whole command line: a command may follow. */
  readonly words: readonly string[];
  readonly root: Group;
}

export async function unknownOptionError(unknown: UnknownOption): Promise<UsageError> {
  const { names, flag, known, root } = unknown;
  const topic = await topicOf(root, names);
  const { message, hint } = usageError(
    ["mlcli", ...names].join(" "),
    `Unknown option "${flag}"`,
    // Of a training, they are a command's alone.
    topic.rest !== undefined && !known.some(([own]) => own === "--command"),
  );
  const suggestion = foreignOption(unknown, topic.arguments.length > 0) ??
    await optionOfTwin(unknown) ??
    closeOption(unknown) ??
    (topic.members === undefined ? hyperparameter(unknown) : await optionOfMember(unknown));
  return new UsageError(message, {
    hint: sentences(suggestion, hint),
  });
}

/** Options with which other programs send a request's body. */
const BODIES: readonly string[] = ["-d", "--data", "--data-binary"];

/** Options with which other programs show a part of their JSON. */
const FILTERS: readonly string[] = ["--format", "--jq", "--query", "--template"];

function foreignOption(
  { flag, known, names }: UnknownOption,
  takesName: boolean,
): string | undefined {
  if (BODIES.includes(flag) && known.some(([own]) => own === "--content-type")) {
    return "Pass the request body as a file, as JSON, or on standard input";
  }
  if (FILTERS.includes(flag) && known.some(([own]) => own === "--output")) {
    return `To select from the JSON, use jq: ${
      ["mlcli", ...names].join(" ")
    } --output json | jq FILTER`;
  }
  if (!Object.hasOwn(FOREIGN_OPTIONS, flag)) return undefined;
  const forms = FOREIGN_OPTIONS[flag]!;
  if (flag === "--entrypoint" && known.some(([own]) => own === forms[0])) {
    return "Use --command for a program of the image, or --entry-point for a file of your code";
  }
  const own = forms.find((form) => known.some(([name]) => name === form.split(" ")[0]));
  if (flag === "--name" && takesName && (own === undefined || own === "--app-name")) {
    return `Pass the name without an option: mlcli ${names.join(" ")} NAME`;
  }
  return own === undefined ? undefined : `Did you mean ${own}?`;
}

/** The command of the same name in the other half may have it: `mlcli deploy --port 80`. */
async function optionOfTwin({ names, flag, root }: UnknownOption): Promise<string | undefined> {
  const isLocal = names[0] === "local";
  const twin = isLocal ? names.slice(1) : ["local", ...names];
  if (!await isCommand(root, twin)) return undefined;
  const { path, options } = await topicOf(root, twin);
  if (flag === "--local" && !isLocal) return `To run locally: ${path}`;
  if (!options.some((named) => formsOf(named).includes(flag))) return undefined;
  return `${flag} belongs to ${path}, which runs ${isLocal ? "on SageMaker" : "on this machine"}`;
}

async function isCommand(root: Group, names: readonly string[]): Promise<boolean> {
  let declared: Command | Group = root;
  for (const name of names) {
    if (!isGroup(declared) || !Object.hasOwn(declared.commands, name)) return false;
    declared = (await declared.commands[name]!.load()).default;
  }
  return !isGroup(declared);
}

function closeOption({ flag, known }: UnknownOption): string | undefined {
  const forms = known.flatMap(formsOf);
  const long = forms.filter((form) => form.startsWith("--"));
  const close = flag.startsWith("--")
    ? closest(flag, long) ?? long.find((form) => beginsWith(form, flag))
    : forms.find((form) => form.toLowerCase() === flag.toLowerCase());
  return close === undefined ? undefined : `Did you mean ${close}?`;
}

/** The option may be of a command that is named behind it. */
async function optionOfMember(
  { names, flag, words, root }: UnknownOption,
): Promise<string | undefined> {
  for (const path of await pathsOf(root)) {
    const own = path.split(" ");
    if (names.some((name, index) => own[index] !== name)) continue;
    if (!own.slice(names.length).every((name) => words.includes(name))) continue;
    const { options, members } = await topicOf(root, own);
    if (members !== undefined || !options.some((named) => formsOf(named).includes(flag))) continue;
    return `Put it after the command: mlcli ${path} ${flag}`;
  }
  return undefined;
}

/** Suggests `--hyperparameter epochs=VALUE` for `--epochs`. */
function hyperparameter({ flag, known }: UnknownOption): string | undefined {
  if (!/^--[a-z]/i.test(flag) || Object.hasOwn(FOREIGN_OPTIONS, flag)) return undefined;
  if (!known.some(([own]) => own === "--hyperparameter")) return undefined;
  const key = flag.slice(2).replaceAll("-", "_");
  if (CONFIGURATION_KEYS.some((one) => one === key)) return `Set "${key}" in NAME.json`;
  return `Pass a hyperparameter like this: --hyperparameter ${flag.slice(2)}=VALUE`;
}

function formsOf([flag, option]: NamedOption): readonly string[] {
  const alias = option.value === undefined ? undefined : option.alias;
  return [flag, option.short, alias].filter((form) => form !== undefined);
}
