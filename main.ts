/**
 * The program: runs a command line and turns what happens into messages and an exit code. The only
 * place that does the latter.
 */

import { runCommandLine } from "./commands/cliffy/run.ts";
import { refusesColour } from "./commands/cliffy/command_line.ts";
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
    await untilRead(context);
    return 0;
  } catch (caught) {
    const error = asInterruption(caught);
    report(error, context);
    await untilRead(context).catch(() => {});
    return exitCode(error);
  }
}

/** How long a reader who does not read may hold up a program that is to end, in ms. */
const LAST_WRITE_LIMIT = 1_000;

/**
 * Waits until what was printed is written; a reader may be slow.
 *
 * @throws what writing failed with; Interrupted, where the user did not want to wait longer.
 */
async function untilRead({ out, err, interruption: { signal } }: Context): Promise<void> {
  const written = Promise.all([out.written?.(), err.written?.()]);
  using late = delayed(signal, LAST_WRITE_LIMIT);
  await Promise.race([written, abortOf(late.signal)]);
}

/** What failed because the user interrupted it is the interruption. */
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

function report(error: unknown, context: Context): void {
  // The user wanted an end, nobody reads any more, or the program has said itself why it ended.
  if (error instanceof Interrupted || error instanceof OutputClosed) return;
  if (error instanceof ProgramEnded) return;
  try {
    tell(context.err, describe(error, context.cwd));
    if (context.env("MLCLI_DEBUG") === "1") context.err.print(printable(`${stackOf(error)}\n`));
  } catch (failure) {
    // Where standard error is closed or on a full disk, the exit code says it alone.
    if (!(failure instanceof OutputClosed || failure instanceof MlcliError)) throw failure;
  }
}

function describe(error: unknown, directory: string): string {
  if (error instanceof MlcliError || isSystemError(error)) return errorText(error, directory);
  const hint = "This is a defect of mlcli. MLCLI_DEBUG=1 shows where it happened.";
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
 * Deno ends a process that has nothing left to wait for, with the exit code that is set by then:
 * also one that still waits for an answer which was lost on the way. So it is a failure until the
 * code is known, and the loss is said. (A top-level await would only add Deno's own words to that,
 * with a stack: "Top-level await promise never resolved".)
 */
export async function endWith(code: Promise<number>, context: Context): Promise<never> {
  Deno.exitCode = 1;
  // Where `Deno.exit` ends the process, nobody hears of this.
  addEventListener("beforeunload", () => {
    const { signal } = context.interruption;
    const error = signal.aborted
      ? signal.reason
      : new Error("What mlcli was waiting for went away without an answer");
    report(error, context);
    Deno.exitCode = exitCode(error);
  });
  // Deno by itself would still wait for what nobody needs: connections that are being closed, and
  // reads and writes that it cannot cancel.
  Deno.exit(await code);
}

async function run(): Promise<never> {
  const context = liveContext({ noColour: refusesColour(Deno.args) });
  return await endWith(main(Deno.args, context), context);
}

if (import.meta.main) run();
