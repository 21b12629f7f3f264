/**
 * The errors that mlcli knows how to explain. Nothing is printed here and no exit code is chosen:
 * `main.ts` does both, by the error's class.
 *
 * @module
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
    super(`Exit status ${status}`);
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

/** Why an operation on a file failed, in the system's words: Deno adds a number and the path. */
export function fileErrorReason(error: unknown): string {
  return messageOf(error).replace(/ \(os error .*$/s, "");
}
