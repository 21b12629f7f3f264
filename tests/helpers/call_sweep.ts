/**
 * Ends or disturbs a command line at each call that it makes to the platform, looks at what is there
 * then, and runs the same command line once more.
 */

import { assert } from "@std/assert";
import type { Box } from "./box/box.ts";
import type { Call, EndingSignal, Stopped } from "./stopped_call.ts";

/** The status that a signal ends with. */
export const STATUS = { SIGKILL: 137, SIGINT: 130, SIGTERM: 143 } as const;

/** A command line, and what happens to it at a call. */
export interface Row<Fault extends string = EndingSignal> {
  readonly fault: Fault;
  readonly run: () => Promise<Stopped>;
}

/** The rows to try at a call; `row` is the number of the call and of its side: comes, is done. */
export type Rows<Fault extends string = EndingSignal> = (
  call: Call,
  row: number,
) => readonly Row<Fault>[];

export interface Swept<Fault extends string = EndingSignal> {
  readonly box: Box;
  /** Makes what there is before. */
  begin(): Promise<void>;
  /** The command line, undisturbed: fails where it does not do its work. */
  whole(): Promise<void>;
  /** Fails where what is there, and what was said, is not as it must be right after the end. */
  check(fault: Fault, stopped: Stopped): void | Promise<void>;
  /** The same command line again: fails where it does not complete. `count`: how many rows came before. */
  repeat(count: number): Promise<void>;
}

/** Tries the rows of each call, and fails with all that went wrong. */
export async function sweepCalls<Fault extends string>(
  swept: Swept<Fault>,
  rows: Rows<Fault>,
): Promise<void> {
  const { box } = swept;
  await begin(swept);
  await swept.whole();
  const calls = box.operations;
  const failures: string[] = [];
  let count = 0;
  for (const at of calls.keys()) {
    for (const isDone of [false, true]) {
      for (const { fault, run } of rows({ at, isDone }, 2 * at + Number(isDone))) {
        await begin(swept);
        const stopped = await run();
        const asked = box.operations.join("\n");
        count++;
        try {
          assert(stopped.call !== undefined, "It made fewer calls");
          await swept.check(fault, stopped);
          await swept.repeat(count);
        } catch (error) {
          const where = `call ${at} (${stopped.call}) ${isDone ? "is done" : "comes"}`;
          failures.push(`${fault} when ${where}: ${error}\n${stopped.stderr}\n${asked}`);
        }
      }
    }
  }
  if (failures.length > 0) throw new Error(failures.join("\n\n"));
}

async function begin<Fault extends string>(swept: Swept<Fault>): Promise<void> {
  await swept.begin();
  swept.box.requests.length = 0;
}
