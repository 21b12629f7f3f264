/**
 * A command line that is ended at one of its calls: the platform has the request, and answers it when
 * there is nobody any more.
 */

import type { Box } from "./box/box.ts";
import type { BoxRequest } from "./box/service.ts";
import { type CloudOptions, startCloud } from "./cloud.ts";
import { Keys } from "./in_process.ts";
import type { JobApp } from "./job_app.ts";
import { type ProgramResult, resultOf } from "./program.ts";

/** At which call it is ended. */
export interface Call {
  /** Its number, from 0, in the order in which they come. */
  readonly at: number;
  /** Whether the platform does what was asked for. */
  readonly isDone: boolean;
}

/** Signals that end a program. */
export type EndingSignal = "SIGKILL" | "SIGINT" | "SIGTERM";

/** How it ended. */
export interface Stopped extends ProgramResult {
  /** The call that it was ended at; `undefined` where it made fewer. */
  readonly call: string | undefined;
}

/** A command line that runs. */
interface Running {
  readonly result: Promise<ProgramResult>;
  /** Tells it to end. */
  stop(): void;
  /** Ends it. */
  kill(): void;
}

/** How long a program may take to end when it is told to, in ms, on a machine with much else to do. */
const PATIENCE = 30_000;

/** Runs the program until that call, and ends it by a signal. @throws Error where it does not end */
export function runProgramUntil(
  box: Box,
  args: readonly string[],
  call: Call & { readonly signal: EndingSignal },
  options: CloudOptions,
): Promise<Stopped> {
  return runUntil(box, call, () => {
    const child = startCloud(box, args, options);
    return {
      result: resultOf(child),
      stop: () => child.kill(call.signal),
      kill: () => child.kill("SIGKILL"),
    };
  });
}

/** Runs a command line in this process until that call, and presses Ctrl-C. */
export function runInProcessUntil(
  { box, run }: Pick<JobApp, "box" | "run">,
  args: readonly string[],
  call: Call,
): Promise<Stopped> {
  const keys = new Keys();
  return runUntil(box, call, () => ({
    result: run(args, { interruption: keys.interruption, keys }),
    stop: () => keys.press(),
    kill() {},
  }));
}

async function runUntil(
  { faults }: Box,
  { at, isDone }: Call,
  start: () => Running,
): Promise<Stopped> {
  const { before, after, afterRefusal } = faults;
  let count = 0;
  let stopped: BoxRequest | undefined;
  let hangs = false;
  const running = Promise.withResolvers<Running>();
  async function end(): Promise<Response> {
    const { result, stop, kill } = await running.promise;
    stop();
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      hangs = true;
      kill();
      over.resolve();
    }, PATIENCE);
    await Promise.race([result, over.promise]).catch(() => {});
    clearTimeout(timer);
    return new Response(null, { status: 503 });
  }
  faults.before = (request) => {
    if (count++ !== at) return undefined;
    stopped = request;
    return isDone ? undefined : end();
  };
  faults.after = faults.afterRefusal = (request) => request === stopped ? end() : undefined;
  try {
    const one = start();
    running.resolve(one);
    const ended = await one.result;
    if (hangs) throw new Error(`It does not end while a call is open: ${ended.stderr}`);
    return { ...ended, call: stopped && `${stopped.service}:${stopped.operation}` };
  } finally {
    Object.assign(faults, { before, after, afterRefusal });
  }
}
