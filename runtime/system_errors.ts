/**
 * What the system refuses, mostly about a file, in the user's words: what could not be done, to which
 * file, and what to do about it. Deno says it with a number, an absolute path and no more.
 *
 * Each command loads this before it starts, and so does `deno task setup`: it imports no library.
 *
 * @module
 */

import { fileErrorReason, messageOf, MlcliError } from "./errors.ts";

/** The system's name of an error, such as `EXDEV`; `undefined` where it is none of the system's. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}

const NOT_YOURS =
  "It is another user's, or closed to you: have its owner open it (chown, chmod), " +
  "or work in a copy of your own.";
const TOO_MANY_OPEN = "Let more files be open at once (ulimit -n 4096), and run the command again.";

/** What to do, by the system's name of the error (errno(3)). */
const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: free some space there, and run the command again.",
  EDQUOT: "Your share of the disk (quota) is full: free some of it, and run the command again.",
  EROFS: "Nothing can be written there (it is mounted read-only): work in a copy elsewhere.",
  EACCES: NOT_YOURS,
  EPERM: NOT_YOURS,
  EMFILE: TOO_MANY_OPEN,
  ENFILE: TOO_MANY_OPEN,
  ENAMETOOLONG: "The system takes no path or name of this length: choose shorter ones.",
  ELOOP: "Links lead in a circle there: remove the link.",
  EIO: "The disk, or what it is reached by, fails: look into the system's log (dmesg).",
  ESTALE: "The network's disk has changed: enter the directory again (cd), and run the command.",
};

/** A file in the place of a directory, or the other way round. */
const IN_THE_WAY: readonly string[] = ["EISDIR", "ENOTDIR", "EEXIST"];

/**
 * What to do about what the system refused, whatever the file is for; `undefined` where that says more
 * about it than the system's name of the error.
 */
export function fileErrorHint(error: unknown): string | undefined {
  return HINTS[systemCode(error) ?? ""];
}

/** Deno's words: the system's, and in most cases the call with its path, or two (ext/fs/ops.rs). */
const DENOS =
  /^(?<reason>.*?) \(os error \d+\)(?:: (?<call>\w+)(?: '(?<from>.*?)'(?: -> '(?<to>.*)')?)?)?$/s;

/** What could not be done, by Deno's name of the call. */
const CALLS: Readonly<Record<string, (from: string, to: string) => string>> = {
  open: (path) => `Cannot open ${path}`,
  readfile: (path) => `Cannot read ${path}`,
  readdir: (path) => `Cannot read ${path}`,
  writefile: (path) => `Cannot write ${path}`,
  truncate: (path) => `Cannot write ${path}`,
  mkdir: (path) => `Cannot create ${path}`,
  symlink: (_, link) => `Cannot create ${link}`,
  link: (_, link) => `Cannot create ${link}`,
  tmpdir: () => "Cannot create a temporary directory",
  tmpfile: () => "Cannot create a temporary file",
  remove: (path) => `Cannot remove ${path}`,
  rename: (from, to) => `Cannot move ${from} to ${to}`,
  copy: (from, to) => `Cannot copy ${from} to ${to}`,
  chmod: (path) => `Cannot change the mode of ${path}`,
  chown: (path) => `Cannot change the owner of ${path}`,
};

/**
 * A refusal of the system that nothing has explained.
 *
 * @param error for which `isSystemError` holds.
 * @param directory where the user types paths.
 */
export function explained(error: unknown, directory: string): MlcliError {
  const { reason = "", call = "", from = "", to = "" } = DENOS.exec(messageOf(error))?.groups ?? {};
  const [source, target] = [from, to].map((path) => below(directory, path));
  const what = Object.hasOwn(CALLS, call)
    ? CALLS[call]!(source!, target!)
    : from === ""
    ? undefined
    : `Cannot use ${source}`;
  const words = reason === "" ? fileErrorReason(error) : reason;
  const other = IN_THE_WAY.includes(systemCode(error) ?? "")
    ? "Something else has its name: move that away."
    : "Does another program change these files? If not, MLCLI_DEBUG=1 shows where it happened.";
  return new MlcliError(what === undefined ? words : `${what}: ${words}`, {
    hint: fileErrorHint(error) ?? other,
    cause: error,
  });
}

/** A path as the user would type it in a directory: without that, where it lies below. */
function below(directory: string, path: string): string {
  const separator = Deno.build.os === "windows" ? "\\" : "/";
  const start = directory.endsWith(separator) ? directory : directory + separator;
  return path.startsWith(start) && path.length > start.length ? path.slice(start.length) : path;
}
