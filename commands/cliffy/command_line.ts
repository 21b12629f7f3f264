/**
 * Takes a command line apart: which command, with which options and arguments. Its errors are found
 * here, before Cliffy reads it.
 */

import { UsageError } from "../../runtime/errors.ts";
import { type Command, type Group, isGroup, nameIn } from "../command.ts";
import {
  argumentsOf,
  type NamedOption,
  type Options,
  optionsOf,
  restArgumentOf,
  withNegations,
} from "../options/option.ts";
import { type everywhere, help, version } from "../options/standard.ts";
import { mayHoldSecret, usageError } from "../usage.ts";

/** Needed before there is a command, and Cliffy does not allow them beside `--help`. */
const NO_COLOUR: keyof typeof everywhere = "--no-color";
const DEBUG: keyof typeof everywhere = "--debug";

/** All paths on the command line are relative to its value. */
const DIRECTORY: keyof typeof everywhere = "--directory";
const DIRECTORY_LETTER = "-C";

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
  const own = before.filter((word) => word !== NO_COLOUR && word !== DEBUG);
  return { ...withoutDirectory(own), rest };
}

function withoutDirectory(all: readonly string[]): Pick<CommandLine, "words" | "directory"> {
  const words: string[] = [];
  const directories: string[] = [];
  for (let index = 0; index < all.length; index++) {
    const word = all[index]!;
    const [typed, attached] = word.startsWith(`${DIRECTORY}=`)
      ? [DIRECTORY, word.slice(DIRECTORY.length + 1)]
      : word.startsWith(DIRECTORY_LETTER)
      ? [DIRECTORY_LETTER, word.slice(DIRECTORY_LETTER.length)]
      : [word, ""];
    if (typed !== DIRECTORY && typed !== DIRECTORY_LETTER) {
      words.push(word);
      continue;
    }
    const directory = attached || all[++index];
    if (directory === undefined || attached === "" && directory.startsWith("--")) {
      throw usageError("mlcli", `Missing value for option "${typed}"`);
    }
    directories.push(directory);
  }
  if (directories.length < 2) return { words, directory: directories[0] };
  throw usageError("mlcli", `Option "${DIRECTORY}" was given more than once`);
}

export function refusesColour(args: readonly string[]): boolean {
  return atDashes(args)[0].includes(NO_COLOUR);
}

/** Whether errors are to come with where they happened. */
export function asksForDebug(args: readonly string[]): boolean {
  return atDashes(args)[0].includes(DEBUG);
}

/** Whether a command line asks for nothing but help or the version. */
export function asksOnly(words: readonly string[]): boolean {
  const last = words.at(-1) === ALL ? words.at(-2) : words.at(-1);
  return last === undefined || ["--help", "-h"].includes(last) || asksVersion(words);
}

/** The word after `--help` that asks for all options. */
const ALL = "all";

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
  throw new UsageError(`Unexpected argument after "--": "${first}"`, {
    hint: 'Remove "--". Write a file name that begins with a dash as ./-name.',
  });
}

/** `--port=`, `-p=`; but not `--hyperparameter=key=`. */
const EMPTY_VALUE = /^-[^=]+=$/;

/** @param word the option with an empty value, or the word before an empty one. */
function emptyWordError(word: string | undefined): UsageError {
  const { message, hint } = usageError(
    "mlcli",
    word?.startsWith("-")
      ? `Missing value for option "${word.replace(/=$/, "")}"`
      : "An argument is empty",
  );
  return new UsageError(message, {
    hint: `${hint}. If you used $(...), its command printed nothing: see its error above.`,
  });
}

export interface ParsedCommand {
  /** The path to the command, without `mlcli`: `["local", "train"]`. */
  readonly names: readonly string[];
  /** Set if the user asks only for help (`--help`), help with all options, or the version. */
  readonly question: "help" | "help all" | "version" | undefined;
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
  const given: string[] = [];
  const written: WrittenOption[] = [];
  const left = [...words];
  let asksAll = false;
  const unknown = async (flag: string): Promise<UsageError> => {
    const { unknownOptionError } = await import("../did_you_mean.ts");
    return await unknownOptionError({ names, flag, root, known: knownOptions(chain), words });
  };
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const declared = chain.at(-1)!;
    if (word.startsWith("-") && word !== "-") {
      const known = knownOptions(chain);
      const early = isGroup(declared) ? optionsOf(await root.early?.() ?? {}) : [];
      const option = optionIn(word, [...known, ...early]);
      if (option === undefined) throw await unknown(flagOf(word));
      if (option.letters !== undefined) left.unshift(option.letters);
      const value = valueOf(option, known, left[0], names);
      if (value !== undefined && option.attached === undefined) left.shift();
      written.push({ ...option, value });
      if (option.flag === "--help" && left[0] === ALL) {
        asksAll = true;
        left.shift();
      }
    } else if (!isGroup(declared)) {
      given.push(word);
    } else if (word === "help" && names.length > 0) {
      left.push("--help");
    } else {
      const name = nameIn(Object.entries(declared.commands), word);
      if (name === undefined) {
        const { unknownCommandError } = await import("../did_you_mean.ts");
        throw await unknownCommandError(names, word, root, left[0]);
      }
      names.push(name);
      chain.push((await declared.commands[name]!.load()).default);
    }
  }
  if (names.length > 1 && root.commands[names[0]!]?.isPrefix) names.shift();
  const declared = chain.at(-1)!;
  const known = knownOptions(chain);
  const flags = written.map(({ flag }) => flag);
  const isVersion = names.length === 0 && flags.includes("--version");
  // An option before the command must be one of the command's options.
  const strange = isVersion
    ? undefined
    : written.find(({ flag }) => !known.some(([own]) => own === flag));
  if (strange !== undefined) throw await unknown(strange.typed);
  const asked = questionOf(flags, names, isGroup(declared));
  const question = asked === "help" && asksAll ? "help all" : asked;
  if (restArgumentOf(declared.options) === undefined) requireNoRest(rest);
  if (question === undefined) {
    await checkArguments(declared, given, { names, isSecret: mayHoldSecret(words) });
  }
  const options = written.flatMap(({ flag, value }) =>
    value === undefined ? [flag] : [flag, value]
  );
  return { names, question, words: [...names, ...options, ...given], rest };
}

interface WrittenOption {
  readonly flag: string;
  readonly option: NamedOption[1];
  /** As it was typed: `-p`. */
  readonly typed: string;
  /** The value in the same word. */
  readonly attached: string | undefined;
  /** What follows a switch of one letter in the same word, as a word: `-p8080` of `-fp8080`. */
  readonly letters?: string;
  readonly value?: string | undefined;
}

/** The options of the command, and of the groups that lead to it. */
function knownOptions(chain: readonly (Command | Group)[]): readonly NamedOption[] {
  const all: Options = Object.assign(
    {},
    help,
    chain.length === 1 ? version : {},
    ...chain.map(({ options }) => options),
  );
  return withNegations(optionsOf(all));
}

function optionIn(word: string, known: readonly NamedOption[]): WrittenOption | undefined {
  const isLong = word.startsWith("--");
  const [, typed = word, attached] = isLong
    ? /^([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? []
    : /^(-[\s\S])=?([\s\S]+)?$/u.exec(word) ?? [];
  for (const [flag, option] of known) {
    if (option.value !== undefined && option.shorthand?.[0] === typed && attached === undefined) {
      return { flag, option, typed, attached: option.shorthand[1] };
    }
    const alias = option.value === undefined ? undefined : option.alias;
    if (![flag, option.short, alias].some((form) => form === typed)) continue;
    const isLetter = !isLong && option.value === undefined && attached !== undefined;
    const letters = isLetter ? `-${attached}` : undefined;
    const isKnown = known.some(([, { short }]) => short === letters?.slice(0, 2));
    return isKnown && letters !== undefined
      ? { flag, option, typed, attached: undefined, letters }
      : { flag, option, typed, attached };
  }
}

/** An option as it was typed, without its value. */
function flagOf(word: string): string {
  return word.startsWith("--") ? word.split("=")[0]! : shortOf(word);
}

/** An option of one letter, without its value; else the whole word: `-json`. */
function shortOf(word: string): string {
  return /^-[a-z]+$/i.test(word) ? word : word.slice(0, 2);
}

/** The value, in the same word or in the next; `undefined` of a switch. */
function valueOf(
  { option, typed, attached }: WrittenOption,
  known: readonly NamedOption[],
  next: string | undefined,
  names: readonly string[],
): string | undefined {
  const path = ["mlcli", ...names].join(" ");
  if (option.value === undefined) {
    if (attached === undefined) return undefined;
    throw usageError(path, `Option "${typed}" accepts no value, but got "${attached}"`);
  }
  if (attached !== undefined) return attached;
  // An option instead of a value: the user forgot the value. (`--tag=--dry-run` has one.)
  const isLetter = option.acceptsLetters && /^-[a-z]$/i.test(next ?? "");
  const isOption = !isLetter && known.some(([flag, { short }]) => next === flag || next === short);
  if (next !== undefined && !isOption) return next;
  throw usageError(path, `Missing value for option "${typed}"`);
}

function questionOf(
  flags: readonly string[],
  names: readonly string[],
  isGroup: boolean,
): "help" | "version" | undefined {
  if (flags.includes("--help")) return "help";
  if (names.length === 0 && flags.includes("--version")) {
    if (["--version", "--output --version"].includes([...flags].sort().join(" "))) {
      return "version";
    }
    throw usageError("mlcli", 'Cannot use options other than "--output" with "--version"');
  }
  // A group by itself shows its commands.
  return isGroup ? "help" : undefined;
}

async function checkArguments(
  { options }: Command | Group,
  given: readonly string[],
  { names, isSecret }: { readonly names: readonly string[]; readonly isSecret: boolean },
): Promise<void> {
  const path = ["mlcli", ...names].join(" ");
  const takesRest = restArgumentOf(options) !== undefined;
  const forms = argumentsOf(options).map(([form]) => form);
  const missing = forms[given.length];
  if (missing?.startsWith("<")) {
    const name = missing.slice(1, -1).toUpperCase();
    throw usageError(path, `Missing argument: ${name}`, takesRest);
  }
  if (forms.at(-1)?.endsWith("...]")) return;
  const [extra] = given.slice(forms.length);
  if (extra === undefined) return;
  if (isSecret) throw usageError(path, "Unexpected argument", takesRest);
  const { unexpectedArgumentError } = await import("../did_you_mean.ts");
  throw unexpectedArgumentError(path, extra, options);
}
