/**
 * The program, ended by a signal at one of its calls: the platform has the request, and answers it
 * when there is nobody any more.
 *
 * @module
 */

import type { Box } from "./box/box.ts";
import type { BoxRequest } from "./box/service.ts";
import { type CloudOptions, startCloud } from "./cloud.ts";
import { type ProgramResult, resultOf } from "./program.ts";

/** Where it is ended, and how. */
export interface Stop {
  /** Number of the call, from 0, in the order in which they come. */
  readonly at: number;
  /** Whether the platform does what was asked for. */
  readonly isDone: boolean;
  readonly signal: "SIGKILL" | "SIGINT" | "SIGTERM";
}

/** How it ended. */
export interface Stopped extends ProgramResult {
  /** The call that it was ended at; `undefined` where it made fewer. */
  readonly call: string | undefined;
}

/** How long a program may take to end when it is told to, in ms, on a machine with much else to do. */
const PATIENCE = 30_000;

/** Runs a command line until that call, and ends it. @throws Error where it does not end */
export async function runStopped(
  box: Box,
  args: readonly string[],
  { at, isDone, signal }: Stop,
  options: CloudOptions,
): Promise<Stopped> {
  const { before, after } = box.faults;
  let count = 0;
  let stopped: BoxRequest | undefined;
  let hangs = false;
  const child = startCloud(box, args, options);
  async function stop(): Promise<Response> {
    child.kill(signal);
    const timer = setTimeout(() => {
      hangs = true;
      child.kill("SIGKILL");
    }, PATIENCE);
    await child.status;
    clearTimeout(timer);
    return new Response(null, { status: 503 });
  }
  box.faults.before = (request) => {
    if (count++ !== at) return undefined;
    stopped = request;
    return isDone ? undefined : stop();
  };
  box.faults.after = (request) => request === stopped ? stop() : undefined;
  try {
    const result = await resultOf(child);
    if (hangs) throw new Error(`It does not end on ${signal} while a call is open`);
    return { ...result, call: stopped && `${stopped.service}:${stopped.operation}` };
  } finally {
    Object.assign(box.faults, { before, after });
  }
}
