/** Ending a program at every 50 ms of its run. */

import { assert, assertEquals } from "@std/assert";
import { makeDirectory } from "./directory.ts";
import { type ProgramResult, resultOf } from "./program.ts";
import { isInSample } from "./sweep.ts";

/** The time between two rows, in ms. */
const STEP = 50;

/** Signals that end a program, in turns, and the status that it ends with. */
const SIGNALS = [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const;

/** How long a program may take to end then, in ms: a run's grace, on a machine with much to do. */
const PATIENCE = 40_000;

/** One command, on ground of its own. */
export interface Scene extends AsyncDisposable {
  /** Starts it; `temporary` is where it may put what goes again. */
  start(temporary: Readonly<Record<string, string>>): Deno.ChildProcess;
  /** What has to hold once it ended; `isDone` where it was done before the signal came. */
  check(result: ProgramResult, isDone: boolean): Promise<void>;
}

/** Runs a command to its end, and then again and again, each time with a signal 50 ms later. */
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

/** @returns how long it took, in ms. */
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
  // It may be done just before the signal.
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
    // It has just ended.
    if (!(error instanceof TypeError)) throw error;
  }
}
