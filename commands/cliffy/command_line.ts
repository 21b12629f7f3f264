/**
 * Takes a command line apart: which command, with which options and arguments. Its errors are found
 * here, before Cliffy reads it.
 */

import { UsageError } from "../../runtime/errors.ts";
import { type Command, type Group, isGroup } from "../command.ts";
import {
  argumentsOf,
  type NamedOption,
  type Options,
  optionsOf,
  restArgumentOf,
} from "../options/option.ts";
import { type everywhere, help, version, versionFormat } from "../options/standard.ts";
import { mayHoldSecret, usageError } from "../usage.ts";

/** Streams need it before there is a command, and Cliffy does not allow it beside `--help`. */
const NO_COLOUR: keyof typeof everywhere = "--no-color";

/** All paths on the command line are relative to its value. */
const DIRECTORY: keyof typeof everywhere = "--directory";

interface CommandLine {
  readonly words: readonly string[];
  /** What follows `--`, unchanged: Cliffy would drop it. */
  readonly rest: readonly string[];
  /** The value of `--directory`. */
  readonly directory: string | undefined;
}

/**
 * @throws UsageError for an empty word or value before `--`, for which Cliffy 1.2 would take the
 * default; for `--directory` twice or without a value.
 */
export function splitCommandLine(args: readonly string[]): CommandLine {
  const [before, rest] = atDashes(args);
  const empty = before.findIndex((word) => word === "" || EMPTY_VALUE.test(word));
  if (empty >= 0) throw emptyWordError(before[empty] || before[empty - 1]);
  return { ...withoutDirectory(before.filter((word) => word !== NO_COLOUR)), rest };
}

function withoutDirectory(all: readonly string[]): Pick<CommandLine, "words" | "directory"> {
  const words: string[] = [];
  const directories: string[] = [];
  for (let index = 0; index < all.length; index++) {
    const word = all[index]!;
    const attached = word.startsWith(`${DIRECTORY}=`);
    if (word !== DIRECTORY && !attached) {
      words.push(word);
      continue;
    }
    const directory = attached ? word.slice(DIRECTORY.length + 1) : all[++index];
    if (directory === undefined || !attached && directory.startsWith("--")) {
      throw usageError("mlcli", `Missing value for option "${DIRECTORY}".`);
    }
    directories.push(directory);
  }
  if (directories.length < 2) return { words, directory: directories[0] };
  throw usageError("mlcli", `Option "${DIRECTORY}" is given twice.`);
}

export function refusesColour(args: readonly string[]): boolean {
  return atDashes(args)[0].includes(NO_COLOUR);
}

/** Whether a command line asks for nothing but help or the version. */
export function asksOnly(words: readonly string[]): boolean {
  const last = words.at(-1);
  return last === undefined || ["--help", "-h"].includes(last) || asksVersion(words);
}

function asksVersion(words: readonly string[]): boolean {
  return words.includes("--version") || words.includes("-V");
}

function atDashes(
  args: readonly string[],
): readonly [before: readonly string[], after: readonly string[]] {
  const dashes = args.indexOf("--");
  return dashes < 0 ? [args, []] : [args.slice(0, dashes), args.slice(dashes + 1)];
}

/**
 * For a command that would ignore what follows `--`.
 *
 * @throws UsageError
 */
export function requireNoRest([first]: readonly string[]): void {
  if (first === undefined) return;
  throw new UsageError(`Nothing may follow "--", but "${first}" does.`, {
    hint: 'Leave "--" out. A file whose name begins with a dash is written ./-name.',
  });
}

/** `--port=`, `-p=`; but not `--hyperparameter=key=`. */
const EMPTY_VALUE = /^-[^=]+=$/;

/** @param word the option with an empty value, or the word before an empty one. */
function emptyWordError(word: string | undefined): UsageError {
  const { message, hint } = usageError(
    "mlcli",
    word?.startsWith("-")
      ? `Missing value for option "${word.replace(/=$/, "")}".`
      : "An argument is empty.",
  );
  return new UsageError(message, {
    hint: `${hint} If $(...) stands there, that command printed nothing: its error is above.`,
  });
}

export interface ParsedCommand {
  /** The path to the command, without `mlcli`: `["local", "train"]`. */
  readonly names: readonly string[];
  /** Set where only the help or the version is asked for. */
  readonly question: "help" | "version" | undefined;
  /**
   * The command line in a form that Cliffy reads right: names; options, each as its long flag with the
   * value as the next word; arguments. (Cliffy takes `-p23001x` for five options.)
   */
  readonly words: readonly string[];
  /** What follows `--`. */
  readonly rest: readonly string[];
}

/**
 * Finds the command that a command line names, and checks its options and arguments.
 *
 * @throws UsageError for an unknown command or option, or a value or an argument that is missing or
 * one too many.
 */
export async function parseCommand(
  { words, rest }: Pick<CommandLine, "words" | "rest">,
  root: Group,
): Promise<ParsedCommand> {
  const names: string[] = [];
  const chain: (Command | Group)[] = [root];
  const flags: string[] = [];
  const options: string[] = [];
  const given: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const declared = chain.at(-1)!;
    if (word.startsWith("-") && word !== "-") {
      const known = knownOptions(chain, asksVersion(words));
      const option = await optionIn(word, { names, root, known, words });
      flags.push(option.flag);
      options.push(option.flag, ...valueOf(option, known, words[index + 1], names));
      if (option.isValueNext) index++;
    } else if (!isGroup(declared)) {
      given.push(word);
    } else if (Object.hasOwn(declared.commands, word)) {
      names.push(word);
      chain.push(await declared.commands[word]!.load());
    } else {
      const { unknownCommandError } = await import("../did_you_mean.ts");
      throw await unknownCommandError(names, word, root, words[index + 1]);
    }
  }
  const declared = chain.at(-1)!;
  const question = questionOf(flags, names, isGroup(declared));
  if (restArgumentOf(declared.options) === undefined) requireNoRest(rest);
  if (question === undefined) {
    checkArguments(declared, given, { names, isSecret: mayHoldSecret(words) });
  }
  return { names, question, words: [...names, ...options, ...given], rest };
}

interface WrittenOption {
  readonly flag: string;
  readonly option: NamedOption[1];
  /** As it was typed: `-p`. */
  readonly typed: string;
  /** The value in the same word. */
  readonly attached: string | undefined;
  readonly isValueNext: boolean;
}

/** The options of the command, and of the groups that lead to it. */
function knownOptions(
  chain: readonly (Command | Group)[],
  isVersion: boolean,
): readonly NamedOption[] {
  const all: Options = Object.assign(
    {},
    help,
    chain.length === 1 ? { ...version, ...isVersion ? versionFormat : {} } : {},
    ...chain.map((declared) => isGroup(declared) ? declared.early : {}),
    ...chain.map(({ options }) => options),
  );
  return optionsOf(all);
}

async function optionIn(
  word: string,
  { names, root, known, words }: {
    readonly names: readonly string[];
    readonly root: Group;
    readonly known: readonly NamedOption[];
    readonly words: readonly string[];
  },
): Promise<WrittenOption> {
  const isLong = word.startsWith("--");
  const [, typed = word, attached] = isLong
    ? /^([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? []
    : /^(-[\s\S])=?([\s\S]+)?$/u.exec(word) ?? [];
  const named = known.find(([flag, option]) =>
    [flag, option.short, option.value === undefined ? undefined : option.alias]
      .some((form) => form === typed)
  );
  if (named === undefined) {
    const { unknownOptionError } = await import("../did_you_mean.ts");
    throw await unknownOptionError({
      names,
      flag: isLong ? typed : shortOf(word),
      root,
      known,
      words,
    });
  }
  const [flag, option] = named;
  const isValueNext = option.value !== undefined && attached === undefined;
  return { flag, option, typed, attached, isValueNext };
}

/** An option of one letter, without its value; else the whole word: `-json`. */
function shortOf(word: string): string {
  return /^-[a-z]+$/i.test(word) ? word : word.slice(0, 2);
}

function valueOf(
  { option, typed, attached, isValueNext }: WrittenOption,
  known: readonly NamedOption[],
  next: string | undefined,
  names: readonly string[],
): readonly string[] {
  const path = ["mlcli", ...names].join(" ");
  if (option.value === undefined) {
    if (attached === undefined) return [];
    throw usageError(path, `Option "${typed}" takes no value, but got "${attached}".`);
  }
  if (!isValueNext) return [attached!];
  // An option where the value should be: the value was forgotten. (`--tag=--dry-run` has one.)
  const isOption = known.some(([flag, { short }]) => next === flag || next === short);
  if (next !== undefined && !isOption) return [next];
  throw usageError(path, `Missing value for option "${typed}".`);
}

function questionOf(
  flags: readonly string[],
  names: readonly string[],
  isGroup: boolean,
): ParsedCommand["question"] {
  if (flags.includes("--help")) return "help";
  if (names.length === 0 && flags.includes("--version")) {
    if (["--version", "--output --version"].includes([...flags].sort().join(" "))) {
      return "version";
    }
    throw usageError("mlcli", 'Beside option "--version", only "--output" may stand.');
  }
  // A group by itself shows its commands.
  return isGroup ? "help" : undefined;
}

function checkArguments(
  { options }: Command | Group,
  given: readonly string[],
  { names, isSecret }: { readonly names: readonly string[]; readonly isSecret: boolean },
): void {
  const path = ["mlcli", ...names].join(" ");
  const takesRest = restArgumentOf(options) !== undefined;
  const forms = argumentsOf(options).map(([form]) => form);
  const missing = forms[given.length];
  if (missing?.startsWith("<")) {
    const name = missing.slice(1, -1).toUpperCase();
    throw usageError(path, `Missing argument: ${name}.`, takesRest);
  }
  if (forms.at(-1)?.endsWith("...]")) return;
  const [extra] = given.slice(forms.length);
  if (extra === undefined) return;
  throw usageError(
    path,
    [
      forms.length === 0 ? `${path} takes no argument` : "One argument too many",
      isSecret ? "." : `${forms.length === 0 ? ", but got" : ":"} "${extra}".`,
    ].join(""),
    takesRest,
  );
}
