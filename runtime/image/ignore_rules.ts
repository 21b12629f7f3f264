/**
 * What `.dockerignore` keeps out of the build context.
 *
 * @module
 */

import dockerignore from "@balena/dockerignore";
import { join } from "@std/path/join";
import { SEPARATOR } from "@std/path/constants";
import { fileErrorReason, MlcliError } from "../errors.ts";
import { LARGEST_TEXT, readTextFile } from "../files.ts";
import { type Exceptions, exceptionsOf } from "./exceptions.ts";

/** The rules of one `.dockerignore`. Paths are relative to its directory, with slashes. */
export interface IgnoreRules extends Exceptions {
  ignores(path: string): boolean;
  /** Whether something below an ignored directory may be wanted all the same (`!path`). */
  mayHoldException(directory: string): boolean;
}

/** CommonJS that calls itself a module: the function is its own `default`. */
const ignore = dockerignore.default;

/** Name of the file. */
export const IGNORE_FILE = ".dockerignore";

/**
 * Reads the rules of a directory; none when it has no `.dockerignore`.
 *
 * @throws MlcliError of kind `layout` when the file cannot be read, or holds a broken pattern.
 */
export async function readIgnoreRules(directory: string): Promise<IgnoreRules> {
  try {
    return parseIgnoreRules(await readTextFile(join(directory, IGNORE_FILE), LARGEST_TEXT));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return parseIgnoreRules("");
    if (error instanceof MlcliError) throw error;
    throw new MlcliError("layout", `Cannot read ${IGNORE_FILE}: ${fileErrorReason(error)}`, {
      hint: "Make it a readable file with a pattern a line, or remove it.",
      cause: error,
    });
  }
}

/**
 * The rules of a text: a pattern a line, `#` for comments, `!` for exceptions, the last match wins.
 *
 * @throws MlcliError of kind `layout` for a pattern that is broken.
 */
export function parseIgnoreRules(text: string): IgnoreRules {
  const patterns = text.replace(/^\uFEFF/, "").split(/\r?\n/)
    .filter((line) => !line.startsWith("#") && line.trim() !== "")
    .map((line) => line.trim());
  for (const pattern of patterns) checkPattern(pattern);
  // Docker distinguishes capitals, on every system.
  const rules = ignore({ ignorecase: false }).add(patterns.map(escaped));
  const exceptions = patterns.filter((pattern) => pattern.startsWith("!"))
    .map((pattern) => pattern.slice(1).trim());
  const starts = exceptions.map(fixedStart);
  return {
    ignores: (path) => rules.ignores(path),
    mayHoldException: (directory) =>
      starts.some((start) => isBelow(start, directory) || isBelow(directory, start)),
    ...exceptionsOf(exceptions),
  };
}

/** The library makes regular expressions of patterns, and says so only when one is used. */
function checkPattern(pattern: string): void {
  try {
    ignore().add(escaped(pattern)).ignores("path");
  } catch (cause) {
    throw new MlcliError("layout", `Not a valid pattern in ${IGNORE_FILE}: "${pattern}"`, {
      hint: "A [ opens a range of characters, such as [a-c]; \\[ is the character itself.",
      cause,
    });
  }
}

/**
 * Characters that mean nothing in a pattern, but something in a regular expression: the library
 * escapes as few of them as Docker 19.03 did. (Where the backslash separates paths it escapes
 * nothing, and they stay.)
 */
function escaped(pattern: string): string {
  return SEPARATOR === "/" ? pattern.replace(/\\.|[+(){}|]/g, escapedCharacter) : pattern;
}

function escapedCharacter(match: string): string {
  return match.startsWith("\\") ? match : `\\${match}`;
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
