/**
 * What `.dockerignore` keeps out of the build context.
 *
 * A stranger may have written its patterns, so matching must take a time that is linear in pattern
 * and path. JavaScript's own expressions do for most patterns; RE2 runs the others.
 */

import { basename } from "@std/path/basename";
import { SEPARATOR } from "@std/path/constants";
import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { fileErrorHint, fileErrorReason, MlcliError } from "../errors.ts";
import { readTextFile } from "../files.ts";
import { IGNORE_FILE } from "./private_files.ts";

/** The rules of one `.dockerignore`. Paths are relative to its directory, with slashes. */
export interface IgnoreRules {
  ignores(path: string): boolean;
  /** Whether an exception (`!path`) may take in something below an ignored directory. */
  mayHoldException(directory: string): boolean;
  /**
   * Whether an exception brings back what stays out of images because it is private. It has to name
   * the private file or directory: a user who lists what the image may have (`*`, then `!demo` or
   * `!**` + `/*.json`) does not mean `demo/.env` or `demo/.docker/config.json`.
   *
   * @param privatePart the path's start, up to and with its first private name.
   */
  bringBack(path: string, privatePart: string): boolean;
  /** Whether one may bring back something below a directory. */
  mayBringBackBelow(directory: string, privatePart: string): boolean;
}

/** In bytes: reading the rules of 1 MiB takes several seconds, in which Ctrl-C is not heard. */
const LARGEST_IGNORE_FILE = 256 * 1024;

/**
 * Reads the rules of a directory; none when it has no `.dockerignore`.
 *
 * @param path of the file, where it has another.
 * @throws MlcliError when the file cannot be read, or holds a broken pattern.
 */
export async function readIgnoreRules(
  directory: string,
  path = join(directory, IGNORE_FILE),
): Promise<IgnoreRules> {
  try {
    return await parseIgnoreRules(await readTextFile(path, LARGEST_IGNORE_FILE));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return await parseIgnoreRules("");
    if (error instanceof MlcliError) throw error;
    throw new MlcliError(`Cannot read ${basename(path)}: ${fileErrorReason(error)}`, {
      hint: fileErrorHint(error) ??
        "Make it a readable file with one pattern per line, or remove it",
      cause: error,
    });
  }
}

/**
 * The rules of a text: one pattern per line, `#` for comments, `!` for exceptions, the last match
 * wins.
 *
 * @throws MlcliError for a pattern that is broken.
 */
export async function parseIgnoreRules(text: string): Promise<IgnoreRules> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
    // No path has a NUL.
    .filter((line) => !line.startsWith("#") && line.trim() !== "" && !line.includes("\0"))
    .map((line) => line.trim());
  requireFewWildcards(lines);
  const compile = await compilerFor(lines);
  const rules = lines.flatMap((line) => ruleOf(line, compile)).reverse();
  const exceptions = lines.filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1).trim());
  const starts = exceptions.map(fixedStart);
  const ofPrivate = exceptions.flatMap((exception) => privateExceptions(exception, compile));
  return {
    ignores: (path) => rules.find(({ pattern }) => pattern.test(path))?.ignores ?? false,
    mayHoldException: (directory) =>
      starts.some((start) => isBelow(start, directory) || isBelow(directory, start)),
    bringBack: (path, privatePart) =>
      ofPrivate.some(({ whole }) => whole.test(markedPath(path, privatePart))),
    mayBringBackBelow: (directory, privatePart) =>
      ofPrivate.some(({ start }) => start.test(markedPath(directory, privatePart))),
  };
}

/** JavaScript's, or RE2's. */
interface Expression {
  test(text: string): boolean;
}

/** @param pattern that the expression was made of. */
type Compile = (expression: string, pattern: string) => Expression;

/** A path, or a name or its end in any directory: `demo/data`, `**` + `/venv`, `**` + `/*.pyc`. */
const SIMPLE = /^(\*\*\/\*?)?[^*?[\\]*$/;

/** RE2 is loaded only where a pattern needs it: each start of a container reads the rules. */
async function compilerFor(lines: readonly string[]): Promise<Compile> {
  const isSimple = lines.every((line) => SIMPLE.test(line.replace(/^!\s*/, "")));
  const { RE2JS } = isSimple ? {} : await import("re2js");
  return (expression, pattern) =>
    RE2JS === undefined || SIMPLE.test(pattern)
      ? new RegExp(expression, "s")
      : RE2JS.compile(expression, RE2JS.DOTALL);
}

interface Rule {
  /** False for an exception, which begins with `!`. */
  readonly ignores: boolean;
  /** Finds a path, or a directory that contains it. */
  readonly pattern: Expression;
}

/** None for an empty pattern. */
function ruleOf(line: string, compile: Compile): readonly Rule[] {
  const ignores = !line.startsWith("!");
  const pattern = cleaned(ignores ? line : line.slice(1).trim());
  if (pattern === "") return [];
  try {
    if (pattern.length > MOST_WILD) throw new SyntaxError("The pattern is too long");
    return [{ ignores, pattern: compile(`^${expressionOf(pattern)}(/|$)`, pattern) }];
  } catch (cause) {
    throw new MlcliError(`Not a valid pattern in ${IGNORE_FILE}: "${shortened(line)}"`, {
      hint: "Close the range of characters, as in [a-c], or write \\[ for the character itself",
      cause,
    });
  }
}

/** As Docker does it: no slash at the start or the end, `.` and `..` resolved. */
function cleaned(pattern: string): string {
  if (pattern === "") return "";
  return normalize(pattern).replaceAll(SEPARATOR, "/").replace(/^\/(?=.)/, "")
    .replace(/(?<=.)\/$/, "");
}

/**
 * A pattern as a regular expression, as github.com/moby/patternmatcher makes one (`compile`).
 *
 * @param pattern with slashes between directories.
 * @throws SyntaxError for a `[` that is not closed.
 */
export function expressionOf(pattern: string): string {
  return pattern.replace(TOKEN, (token, inverted, characters, offset) => {
    if (token.startsWith("**")) return offset + token.length < pattern.length ? "(.*/)?" : ".*";
    if (token === "*") return `${NO_SLASH}*`;
    if (token === "?") return NO_SLASH;
    if (characters !== undefined) {
      const escaped = characters.replace(
        /\\(.)|[^-]/gsu,
        (one: string, behind?: string) => literal(behind ?? one),
      );
      return `[${inverted ? "^\\x00" : ""}${escaped}]`;
    }
    if (token.startsWith("[")) throw new SyntaxError("A [ is not closed");
    return literal(token.length > 1 ? token.slice(1) : token);
  });
}

/** The parts of a pattern with a meaning. A `]` that comes first in a class is one of its characters. */
const TOKEN = /\*\*\/?|\*|\?|\[(\^)?((?:\\.|[^\\])(?:\\.|[^\]\\])*)\]|\[.*|\\.|[^\w/]/gsu;

/** A character within a name. (NUL marks a private name.) */
const NO_SLASH = "[^/\\x00]";

/** The expression for a character: punctuation is escaped. */
function literal(character: string): string {
  return /^[!-/:-@[-`{-~]$/.test(character) ? `\\${character}` : character;
}

/** An exception that may name something private; it is matched with a `markedPath`. */
interface PrivateException {
  /** Finds a path that it brings back. */
  readonly whole: Expression;
  /** Finds a directory below which there may be one. */
  readonly start: Expression;
}

/** How many directories deep an exception for something private may lead. */
const DEEPEST = 200;

/** None for a class with a slash, where names would be cut: `[a/b]`. */
function privateExceptions(exception: string, compile: Compile): readonly PrivateException[] {
  const pattern = cleaned(exception);
  const names = pattern.split("/");
  if (names.length > DEEPEST) return [];
  const below = "[^\\x00]*";
  try {
    const components = names.map((component) => {
      if (component === "**") return `(${NO_SLASH}*/)*`;
      // Two stars mean the same as one here.
      const expression = expressionOf(component.replace(/\*+/g, "*"));
      return `${namesSomething(component) ? "\\x00?" : ""}${expression}/`;
    });
    return [{
      whole: compile(`^${components.join("")}${below}$`, pattern),
      start: compile(
        `^${components.reduceRight((inner, component) => `(${component}${inner})?`, below)}$`,
        pattern,
      ),
    }];
  } catch {
    return [];
  }
}

/** A path with a slash at its end and a NUL before the name at the end of its private part. */
function markedPath(path: string, privatePart: string): string {
  const start = privatePart.lastIndexOf("/") + 1;
  return `${path.slice(0, start)}\0${path.slice(start)}/`;
}

/** Whether anything but dots is left of a component without its wildcards. */
function namesSomething(component: string): boolean {
  return /[^.]/.test(component.replace(TOKEN, (token) => /^[*?[]/.test(token) ? "" : token));
}

/**
 * The most characters that one pattern, and all patterns with a wildcard together, can have. With these,
 * a path of the greatest length (4,096) takes some seconds at worst, during which Ctrl-C has to wait;
 * real files have hundreds of characters.
 */
const MOST_WILD = 16 * 1024;

function requireFewWildcards(patterns: readonly string[]): void {
  let length = 0;
  for (const pattern of patterns) {
    if (/[*?[\\]/.test(pattern)) length += pattern.length;
    if (length <= MOST_WILD) continue;
    throw new MlcliError(`Too many wildcards in ${IGNORE_FILE}: "${shortened(pattern)}"`, {
      hint: `Use fewer patterns with *, ?, [ or \\ (at most ${MOST_WILD / 1024} KiB in total)`,
    });
  }
}

function shortened(line: string): string {
  return line.length > 60 ? `${line.slice(0, 60)}...` : line;
}

/** The directories that an exception begins with, as far as they are named without a wildcard. */
function fixedStart(exception: string): string {
  const parts = exception.split("/").filter((part) => part !== "" && part !== ".");
  const wild = parts.findIndex((part) => /[*?[\\]/.test(part));
  return (wild === -1 ? parts : parts.slice(0, wild)).join("/");
}

function isBelow(path: string, directory: string): boolean {
  return directory === "" || path === directory || path.startsWith(`${directory}/`);
}
