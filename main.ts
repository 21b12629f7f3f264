/** The program: runs a command line, and alone turns errors into messages and an exit code. */

import { runCommandLine } from "./commands/cliffy/run.ts";
import { asksForDebug, refusesColour } from "./commands/cliffy/command_line.ts";
import { root } from "./commands/root.ts";
import { type Context, liveContext } from "./runtime/context.ts";
import {
  INTERRUPT_STATUS,
  Interrupted,
  isSystemError,
  MlcliError,
  OutputClosed,
  ProgramEnded,
  UsageError,
  UserCodeError,
} from "./runtime/errors.ts";
import { errorText, hintText, tell } from "./runtime/messages.ts";
import { printable } from "./runtime/text.ts";
import { abortOf, delayed } from "./runtime/time.ts";

/**
 * Runs one command line.
 *
 * @returns the exit code: 0 done, 1 failed, 2 the command line is wrong, 128 and the number of the
 * signal when interrupted, and for `local train`, `process` and `shell` the status of what ran.
 */
export async function main(args: readonly string[], context: Context): Promise<number> {
  try {
    await runCommandLine(args, root, context);
    await untilWritten(context);
    return 0;
  } catch (caught) {
    const error = asInterruption(caught);
    report(error, context, isDebug(args, context.env));
    await untilWritten(context).catch(() => {});
    return exitCode(error);
  }
}

/** How long mlcli waits at its end for a reader that does not read, in ms, once the user interrupts. */
const LAST_WRITE_LIMIT = 1_000;

/**
 * Waits until all output is written; its reader may be slow.
 *
 * @throws the error of writing; Interrupted, if the user does not want to wait.
 */
async function untilWritten({ out, err, interruption: { signal } }: Context): Promise<void> {
  const written = Promise.all([out.written?.(), err.written?.()]);
  using late = delayed(signal, LAST_WRITE_LIMIT);
  await Promise.race([written, abortOf(late.signal)]);
}

function isDebug(args: readonly string[], env: Context["env"]): boolean {
  return asksForDebug(args) || env("MLCLI_DEBUG") === "1";
}

/** An error that an interruption caused counts as the interruption. */
function asInterruption(error: unknown): unknown {
  return error instanceof MlcliError && error.cause instanceof Interrupted ? error.cause : error;
}

function exitCode(error: unknown): number {
  if (error instanceof Interrupted) return INTERRUPT_STATUS[error.signal];
  // 128 and the number of SIGPIPE: what `yes | head` ends with.
  if (error instanceof OutputClosed) return 141;
  if (error instanceof UserCodeError || error instanceof ProgramEnded) return error.status;
  return error instanceof UsageError ? 2 : 1;
}

function report(error: unknown, context: Context, withStack: boolean): void {
  // The user interrupted, nobody reads any more, or the program itself has said why it ended.
  if (error instanceof Interrupted || error instanceof OutputClosed) return;
  if (error instanceof ProgramEnded) return;
  try {
    tell(context.err, describe(error, context.cwd));
    if (withStack) context.err.print(printable(`${stackOf(error)}\n`));
  } catch (failure) {
    // Standard error is closed, or on a full disk: only the exit code can tell.
    if (!(failure instanceof OutputClosed || failure instanceof MlcliError)) throw failure;
  }
}

function describe(error: unknown, directory: string): string {
  if (error instanceof MlcliError || isSystemError(error)) return errorText(error, directory);
  const hint = "This is a defect of mlcli. --debug shows where it happened.";
  return errorText(error) + hintText(hint);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/**
 * Ends this process with the exit code of a command line.
 *
 * Deno ends a process whose event loop is empty with the exit code that is set by then, even if a
 * promise is pending for ever. So the code is that of a failure until the real one is known, and such
 * an end is reported. (With a top-level await, Deno would print a stack, too.)
 */
export async function endWith(code: Promise<number>, context: Context): Promise<never> {
  Deno.exitCode = 1;
  // Deno.exit does not fire this event.
  addEventListener("beforeunload", () => {
    const { signal } = context.interruption;
    const error = signal.aborted
      ? signal.reason
      : new Error("What mlcli was waiting for went away without an answer");
    report(error, context, isDebug([], context.env));
    Deno.exitCode = exitCode(error);
  });
  // By itself, Deno would still wait for connections that are being closed, and for reads and writes
  // that it cannot cancel.
  Deno.exit(await code);
}

async function run(): Promise<never> {
  const context = liveContext({
    noColour: refusesColour(Deno.args),
    isDebug: isDebug(Deno.args, (name) => Deno.env.get(name)),
  });
  return await endWith(main(Deno.args, context), context);
}

if (import.meta.main) run();
