/**
 * The frame of every script that `deno task` runs: it explains failures, ends in order, and says how
 * far it is.
 *
 * Imports nothing that needs resolving, for `scripts/tasks/setup.ts` runs before anything is.
 */

import { errorText } from "../runtime/messages.ts";
import { INTERRUPT_STATUS, Interrupted } from "../runtime/errors.ts";

/**
 * Runs a script and ends the process: with the number that `main` returns, or 1 after an error. The
 * signal is aborted by Ctrl-C and SIGTERM, so that `finally` gets its turn; a second one ends at once.
 */
export async function runScript(main: (signal: AbortSignal) => Promise<number>): Promise<never> {
  const ending = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(name, () => {
      if (ending.signal.aborted) Deno.exit(INTERRUPT_STATUS[name]);
      ending.abort(new Interrupted(name));
    });
  }
  Deno.exit(await statusOf(main, ending.signal));
}

async function statusOf(
  main: (signal: AbortSignal) => Promise<number>,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await main(signal);
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    sayError(reason);
    return reason instanceof Interrupted ? INTERRUPT_STATUS[reason.signal] : 1;
  }
}

/** Writes a line to standard error, where progress goes. */
export function say(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Writes an error to standard error, as mlcli does. */
export function sayError(error: unknown): void {
  say(errorText(error).trimEnd());
}

/** Does a piece of work and says how long it took. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  say(`${name} ...`);
  const start = performance.now();
  const result = await work();
  say(`${name}: ${timeText(performance.now() - start)}`);
  return result;
}

/** A duration in milliseconds, as people read it: `40 ms`, `12.3 s`. */
export function timeText(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${milliseconds.toFixed(0)} ms`
    : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** Lets time pass, in milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
