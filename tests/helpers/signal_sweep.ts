/** Interrupts a program at 50 ms intervals, one run for each interval. */

import { assert, assertEquals } from "@std/assert";
import { makeDirectory } from "./directory.ts";
import { type ProgramResult, resultOf } from "./program.ts";
import { isInSample } from "./sweep.ts";

/** Interval in ms. */
const STEP = 50;

/** Signals to send in turn, each with the expected exit status. */
const SIGNALS = [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const;

/** Time limit in ms for a program to exit after the signal: a grace period on a busy machine. */
const PATIENCE = 40_000;

/** A command with its app or directory, which disposal removes. */
export interface Scene extends AsyncDisposable {
  /** Starts the command. `temporary` sets TMPDIR, which must be empty when the command exits. */
  start(temporary: Readonly<Record<string, string>>): Deno.ChildProcess;
  /** Fails if the command left something behind. `isDone`: it completed before the signal. */
  check(result: ProgramResult, isDone: boolean): Promise<void>;
}

/** Runs a command once to completion, then repeatedly, with a signal after 0, 50, 100, ... ms. */
export async function sweepSignals(open: () => Promise<Scene>): Promise<void> {
  const whole = await once(open);
  const failures: string[] = [];
  for (let row = 0; row * STEP < whole; row++) {
    if (!isInSample(row)) continue;
    const ending = { after: row * STEP, signal: SIGNALS[row % SIGNALS.length]! };
    await once(open, ending).catch((error) =>
      failures.push(`${ending.signal[0]} after ${ending.after} ms: ${error}`)
    );
  }
  if (failures.length > 0) throw new Error(failures.join("\n\n"));
}

/** Runs the command once. @returns its duration in ms. */
async function once(
  open: () => Promise<Scene>,
  ending?: { readonly after: number; readonly signal: (typeof SIGNALS)[number] },
): Promise<number> {
  await using scene = await open();
  await using temporary = await makeDirectory();
  const began = performance.now();
  const child = scene.start({ TMPDIR: temporary.path });
  let isLate = false;
  const timers = ending === undefined ? [] : [
    setTimeout(() => kill(child, ending.signal[0]), ending.after),
    setTimeout(() => {
      isLate = true;
      kill(child, "SIGKILL");
    }, ending.after + PATIENCE),
  ];
  child.status.finally(() => timers.forEach(clearTimeout));
  const result = await resultOf(child);
  const took = performance.now() - began;
  const said = `${result.code}\n${result.stdout}\n${result.stderr}`;
  assert(!isLate, `It does not end: ${said}`);
  // It can complete just before the signal.
  const isDone = result.code === 0;
  if (!isDone) assertEquals(result.code, ending?.signal[1], said);
  assert(!/defect of mlcli|panicked|^\s+at /m.test(result.stderr), said);
  assertEquals([...Deno.readDirSync(temporary.path)].map(({ name }) => name), [], said);
  await scene.check(result, isDone);
  return took;
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // The program has already exited.
    if (!(error instanceof TypeError)) throw error;
  }
}
