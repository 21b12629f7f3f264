/**
 * What somebody meant who typed an option that a command has not: only what is close, or what other
 * programs call so.
 *
 * @module
 */

import { closest } from "../../runtime/text.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { Group } from "../command.ts";
import type { NamedOption } from "../options/option.ts";
import { topicOf } from "../topic.ts";
import { wrongUse } from "../usage.ts";
import { beginningWith, isCommand, pathsOf } from "./paths.ts";

/** What other programs call our options; the first that the command has is meant. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  "-C": ["--directory"],
  "-e": ["--env"],
  "-f": ["--dockerfile", "--file"],
  "-n": ["--tail"],
  "-o": ["--output"],
  "-q": ["--quiet"],
  "-v": ["--version"],
  "--chdir": ["--directory"],
  "--cwd": ["--directory"],
  "--dir": ["--directory"],
  "--file": ["--dockerfile"],
  "--format": ["--output"],
  "--json": ["--output json", "--content-type application/json"],
  "--lines": ["--tail"],
  "--name": [
    ...["--endpoint-name", "--base-job-name", "--name-contains", "--repository", "--app-name"],
  ],
  "--role": ["--execution-role", "--iam-role-arn"],
  "--silent": ["--quiet"],
  "--tag": ["--docker-tag"],
};

/** An option that a command does not know. */
export interface UnknownOption {
  /** Those that lead to the command. */
  readonly names: readonly string[];
  /** As it was typed, without its value. */
  readonly flag: string;
  /** What may stand there. */
  readonly known: readonly NamedOption[];
  /** The whole command line: a command may follow. */
  readonly words: readonly string[];
  readonly root: Group;
}

/** An error for it. */
export async function unknownOption(unknown: UnknownOption): Promise<UsageError> {
  const { names, flag, root } = unknown;
  const path = ["mlcli", ...names].join(" ");
  const message = `Unknown option "${flag}".`;
  const topic = await topicOf(root, names);
  const { message: said, hint = "" } = wrongUse(path, message, topic.rest !== undefined);
  const meant = foreign(unknown, topic.arguments.length > 0) ??
    await inTwin(unknown) ??
    near(unknown) ??
    (topic.members === undefined ? ofHyperparameter(unknown) : await ofCommands(unknown));
  return new UsageError(said, { hint: meant === undefined ? hint : `${meant} ${hint}` });
}

function foreign({ flag, known, names }: UnknownOption, takesName: boolean): string | undefined {
  if (!Object.hasOwn(FOREIGN, flag)) return undefined;
  const own = FOREIGN[flag]!.find((form) => known.some(([name]) => name === form.split(" ")[0]));
  if (flag === "--name" && takesName && (own === undefined || own === "--app-name")) {
    return `The name stands without an option: mlcli ${names.join(" ")} NAME.`;
  }
  return own === undefined ? undefined : didYouMean(own);
}

/** The command of the same name in the other half may have it: `mlcli deploy --port 80`. */
async function inTwin({ names, flag, root }: UnknownOption): Promise<string | undefined> {
  const isLocal = names[0] === "local";
  const twin = isLocal ? names.slice(1) : ["local", ...names];
  if (!await isCommand(root, twin)) return undefined;
  const { path, options } = await topicOf(root, twin);
  if (!options.some((named) => formsOf(named).includes(flag))) return undefined;
  return `${path}, which runs ${isLocal ? "on SageMaker" : "on this machine"}, has it.`;
}

function near({ flag, known }: UnknownOption): string | undefined {
  const forms = known.flatMap(formsOf);
  if (!flag.startsWith("--")) {
    const other = forms.find((form) => form.toLowerCase() === flag.toLowerCase());
    return other === undefined ? undefined : didYouMean(other);
  }
  const long = forms.filter((form) => form.startsWith("--"));
  const meant = closest(flag, long) ?? beginningWith(flag.toLowerCase(), long, (form) => form)[0];
  return meant === undefined ? undefined : didYouMean(meant);
}

/** An option of a command, before its name. */
async function ofCommands({ names, flag, words, root }: UnknownOption): Promise<
  string | undefined
> {
  for (const path of await pathsOf(root)) {
    const own = path.split(" ");
    // Only where the command line names the command, too.
    if (names.some((name, index) => own[index] !== name)) continue;
    if (!own.slice(names.length).every((name) => words.includes(name))) continue;
    const { options, members } = await topicOf(root, own);
    if (members !== undefined || !options.some((named) => formsOf(named).includes(flag))) continue;
    return `It stands after the command: mlcli ${path} ${flag}.`;
  }
  return undefined;
}

/** `--epochs 20`: a hyperparameter, where there are any. */
function ofHyperparameter({ flag, known }: UnknownOption): string | undefined {
  if (!/^--[a-z]/i.test(flag) || Object.hasOwn(FOREIGN, flag)) return undefined;
  if (!known.some(([own]) => own === "--hyperparameter")) {
    return undefined;
  }
  return `A hyperparameter is given as --hyperparameter ${flag.slice(2)}=VALUE.`;
}

function formsOf([flag, option]: NamedOption): readonly string[] {
  const { short } = option;
  const alias = option.value === undefined ? undefined : option.alias;
  return [flag, short, alias].filter((form) => form !== undefined);
}

function didYouMean(meant: string): string {
  return `Did you mean ${meant}?`;
}
