/**
 * The errors that mlcli knows how to explain. Nothing is printed here and no exit code is chosen:
 * `main.ts` does both, by the error's class.
 */

/** More about an error than its one-line message. */
export interface ErrorDetails {
  /** What to do about it: a sentence, printed after `hint: `. */
  readonly hint?: string;
  /** Words of another program about it (such as the end of a log), printed below the message. */
  readonly quote?: string;
  readonly cause?: unknown;
}

/** A failure with a message for the user. */
export class MlcliError extends Error {
  override readonly name: string = "MlcliError";
  readonly hint: string | undefined;
  readonly quote: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.hint = details.hint;
    this.quote = details.quote;
  }
}

/** The command line is wrong, and nothing was done. */
export class UsageError extends MlcliError {
  override readonly name = "UsageError";
}

/** The current directory holds no app. */
export class NoAppHere extends MlcliError {
  override readonly name = "NoAppHere";

  /** @param above the nearest directory above this one that holds one, if there is any. */
  constructor(readonly above: string | undefined, message: string, details: ErrorDetails = {}) {
    super(message, details);
  }
}

/** The user's own code ended with a status other than 0; mlcli ends with the same. */
export class UserCodeError extends MlcliError {
  override readonly name = "UserCodeError";

  /** @param status exit status of the container's program, 1 to 255. */
  constructor(readonly status: number, message: string, details: ErrorDetails = {}) {
    super(message, details);
  }
}

/**
 * A program that the user named, or what was typed at a shell, ended with a status other than 0. It has
 * said why itself; mlcli ends with the same.
 */
export class ProgramEnded extends Error {
  override readonly name = "ProgramEnded";

  /** @param status exit status of the program, 1 to 255. */
  constructor(readonly status: number) {
    super(`Exit code ${status}`);
  }
}

/** Signals that end mlcli, with the exit status that a shell gives to them: 128 plus the number. */
export const INTERRUPT_STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A signal that ends mlcli. */
export type InterruptSignal = keyof typeof INTERRUPT_STATUS;

/** The user, or the system, asked mlcli to stop. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor(readonly signal: InterruptSignal) {
    super(`Interrupted by ${signal}`);
  }
}

/** The program that read the output went away (`mlcli ... | head`). */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";

  constructor() {
    super("The output was closed");
  }
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Whether the system refused something, mostly about a file: Deno adds the error's number. An error
 * that mlcli has explained already may quote it, and is none.
 */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && !(error instanceof MlcliError) &&
    /\(os error \d+\)/.test(error.message);
}

/** Whether nothing is at a path: also where a file is in the place of a directory. */
export function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

/** Why an operation on a file failed, in the system's words: Deno adds a number and the path. */
export function fileErrorReason(error: unknown): string {
  return messageOf(error).replace(/ \(os error .*$/s, "");
}

/** The system's name of an error, such as `EXDEV`; `undefined` where it is none of the system's. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}

const NOT_YOURS = "Ask its owner for permission (chown, chmod), or work in your own copy";
const TOO_MANY_OPEN = "Raise the limit of open files (ulimit -n 4096), then rerun the command";

/** What to do, by the system's name of the error (errno(3)). */
const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: "Free some disk space, then rerun the command",
  EDQUOT: "Free some of your disk quota, then rerun the command",
  EROFS: "Use a copy in a writable directory: this file system is mounted read-only",
  EACCES: NOT_YOURS,
  EPERM: NOT_YOURS,
  EMFILE: TOO_MANY_OPEN,
  ENFILE: TOO_MANY_OPEN,
  ENAMETOOLONG: "Choose a shorter path or name",
  ELOOP: "Remove the links that form a loop",
  EIO: "Check the disk and its connection in the system's log (dmesg)",
  ESTALE: "Enter the directory again (cd), then rerun the command: the network disk has changed",
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
const DENO_MESSAGE =
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
export function explainSystemError(error: unknown, directory: string): MlcliError {
  const { reason = "", call = "", from = "", to = "" } =
    DENO_MESSAGE.exec(messageOf(error))?.groups ?? {};
  const [source, target] = [from, to].map((path) => below(directory, path));
  const what = Object.hasOwn(CALLS, call)
    ? CALLS[call]!(source!, target!)
    : from === ""
    ? undefined
    : `Cannot access ${source}`;
  const words = reason === "" ? fileErrorReason(error) : reason;
  const other = IN_THE_WAY.includes(systemCode(error) ?? "")
    ? "Move or rename the file or directory that has this name"
    : "Check that no other program changes these files. To see where it happened, add --debug.";
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
