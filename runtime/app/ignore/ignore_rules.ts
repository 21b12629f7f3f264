/**
 * What `.dockerignore` keeps out of the build context.
 *
 * @module
 */

import { SEPARATOR } from "@std/path/constants";
import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { fileErrorReason, MlcliError } from "../../errors.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { fileErrorHint } from "../../system_errors.ts";
import { type Exceptions, exceptionsOf } from "./exceptions.ts";
import { readPattern } from "./wildcards.ts";

/** The rules of one `.dockerignore`. Paths are relative to its directory, with slashes. */
export interface IgnoreRules extends Exceptions {
  ignores(path: string): boolean;
  /** Whether an exception (`!path`) may take in something below an ignored directory. */
  mayHoldException(directory: string): boolean;
}

/** Name of the file. */
export const IGNORE_FILE = ".dockerignore";

/**
 * Reads the rules of a directory; none when it has no `.dockerignore`.
 *
 * @throws MlcliError when the file cannot be read, or holds a broken pattern.
 */
export async function readIgnoreRules(directory: string): Promise<IgnoreRules> {
  try {
    return parseIgnoreRules(await readTextFile(join(directory, IGNORE_FILE), LARGEST_TEXT));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return parseIgnoreRules("");
    if (error instanceof MlcliError) throw error;
    throw new MlcliError(`Cannot read ${IGNORE_FILE}: ${fileErrorReason(error)}`, {
      hint: fileErrorHint(error) ??
        "Make it a readable file with one pattern per line, or remove it.",
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
export function parseIgnoreRules(text: string): IgnoreRules {
  const patterns = text.replace(/^\uFEFF/, "").split(/\r?\n/)
    .filter((line) => !line.startsWith("#") && line.trim() !== "")
    .map((line) => line.trim());
  requireFewWildcards(patterns);
  const exceptions = patterns.filter((pattern) => pattern.startsWith("!"))
    .map((pattern) => pattern.slice(1).trim());
  const rules = patterns.map(readRule).filter((rule) => rule !== undefined).reverse();
  const starts = exceptions.map(fixedStart);
  return {
    ignores: (path) => rules.find(({ fits }) => fits(path))?.ignores ?? false,
    mayHoldException: (directory) =>
      starts.some((start) => isBelow(start, directory) || isBelow(directory, start)),
    ...exceptionsOf(exceptions),
  };
}

/** A line of the file. */
interface Rule {
  /** Whether it says to leave out or, after a `!`, to take in. */
  readonly ignores: boolean;
  /** Whether it matches a path, or a directory that contains it. */
  readonly fits: (path: string) => boolean;
}

/** Undefined for an empty pattern. */
function readRule(line: string): Rule | undefined {
  const ignores = !line.startsWith("!");
  const text = ignores ? line : line.slice(1).trim();
  if (text === "") return undefined;
  const pattern = cleaned(text);
  if (!WILDCARD.test(pattern)) return { ignores, fits: (path) => isBelow(path, pattern) };
  const anywhere = ANYWHERE.exec(pattern);
  if (anywhere) return { ignores, fits: namePattern(anywhere[1] === "*", anywhere[2]!) };
  try {
    const { fitsStart } = readPattern(pattern, ESCAPES);
    return { ignores, fits: fitsStart };
  } catch (cause) {
    throw new MlcliError(`Not a valid pattern in ${IGNORE_FILE}: "${line}"`, {
      hint: "A [ opens a range of characters, such as [a-c]; \\[ is the character itself.",
      cause,
    });
  }
}

/** A name or its end, in any directory: `**` + `/venv`, `**` + `/*.pyc`. Most patterns are of this kind. */
const ANYWHERE = /^\*\*\/(\*?)([^*?[\\/]+)$/;

/** The same as reading such a pattern, at a tenth of the cost. */
function namePattern(isEnd: boolean, text: string): (path: string) => boolean {
  return (path) => path.split("/").some((name) => isEnd ? name.endsWith(text) : name === text);
}

/** As Docker does it: no slash at the start or the end, `.` and `..` resolved. */
function cleaned(pattern: string): string {
  return normalize(pattern).replaceAll(SEPARATOR, "/").replace(/^\/(?=.)/, "")
    .replace(/(?<=.)\/$/, "");
}

/** The characters that make a pattern more than a path. */
const WILDCARD = /[*?[\\]/;

/** Where the backslash separates paths it escapes nothing. */
const ESCAPES = SEPARATOR === "/";

/**
 * The most characters that all patterns with a star may have together. With these, a path of the
 * greatest length (4,096) takes some seconds at worst, and Ctrl-C waits for it; real files have
 * hundreds of characters.
 */
const MOST_WILD = 16 * 1024;

function requireFewWildcards(patterns: readonly string[]): void {
  let length = 0;
  for (const pattern of patterns) {
    if (pattern.includes("*")) length += pattern.length;
    if (length <= MOST_WILD) continue;
    const shown = pattern.length > 60 ? `${pattern.slice(0, 60)}...` : pattern;
    throw new MlcliError(`Too many wildcards in ${IGNORE_FILE}: "${shown}"`, {
      hint: `All patterns with a * may have ${MOST_WILD / 1024} KiB together.`,
    });
  }
}

/** The directories that an exception begins with, as far as they are named without a wildcard. */
function fixedStart(exception: string): string {
  const parts = exception.split("/").filter((part) => part !== "" && part !== ".");
  const wild = parts.findIndex((part) => WILDCARD.test(part));
  return (wild === -1 ? parts : parts.slice(0, wild)).join("/");
}

function isBelow(path: string, directory: string): boolean {
  return directory === "" || path === directory || path.startsWith(`${directory}/`);
}
