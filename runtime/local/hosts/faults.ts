/** Faults that a run's hosts are made to suffer, and how the job took them: a rehearsal. */

import type { Engine } from "../../docker/engine.ts";
import { messageOf } from "../../errors.ts";
import { clockText } from "../../quantities.ts";
import type { Messages } from "../../messages.ts";
import { inOneLine } from "../../text.ts";
import type { Fault } from "../jobs.ts";
import type { HostContainer, HostEnd } from "./run.ts";

/** When faults came, in seconds after the start; `undefined`: the engine refused it. */
export type Came = Map<Fault, number | undefined>;

const WORDS: Readonly<Record<Fault["kind"], string>> = { kill: "killed", freeze: "frozen" };

/**
 * Injects faults into hosts that have just started.
 *
 * @param came is called when a fault begins.
 * @param onFault is called after each fault.
 * @returns a function that ends the injection; a frozen host resumes.
 */
export function injectFaults(
  engine: Engine,
  containers: readonly HostContainer[],
  faults: readonly Fault[],
  came: Came,
  messages: Pick<Messages, "note">,
  onFault: (host: string) => void,
): Disposable {
  const timers = new DisposableStack();
  const start = performance.now();
  for (const fault of faults) {
    const { host, kind, after, seconds } = fault;
    const { name } = containers.find((container) => container.host === host)!;
    const later = (seconds: number, work: () => Promise<void>): void => {
      const ifRunning = async () => await engine.isRunning(name) && await work();
      const timer = setTimeout(() => void ifRunning().catch(() => {}), seconds * 1000);
      timers.defer(() => clearTimeout(timer));
    };
    later(after, async () => {
      // Before the call, because the host's end might be reported before the engine's response.
      came.set(fault, (performance.now() - start) / 1000);
      messages.note(`Injecting a fault into ${host} (--${kind}-host)`);
      try {
        await (kind === "kill" ? engine.killContainer(name) : engine.pauseContainer(name));
        onFault(host);
        if (seconds === undefined || timers.disposed) return;
        later(seconds, async () => {
          await engine.unpauseContainer(name);
          messages.note(`Resumed ${host}`);
        });
      } catch (error) {
        came.set(fault, undefined);
        messages.note(`Cannot ${kind} ${host}: ${inOneLine(messageOf(error))}`);
      }
    });
  }
  return timers;
}

/** Whether a host is gone for good: a host whose machine is gone or frozen reports nothing. */
export function isLost(name: string, came: Came): boolean {
  return came.entries().some(([{ host, seconds }, at]) =>
    at !== undefined && host === name && seconds === undefined
  );
}

/** How the other hosts took each fault, as lines. */
export function verdictsOf(
  faults: readonly Fault[],
  came: Came,
  ends: readonly HostEnd[],
): readonly string[] {
  return faults.flatMap((fault) => {
    const at = came.get(fault);
    if (at !== undefined) return [verdictOf(fault, at, ends)];
    const { host, after } = fault;
    const missed = `No fault was injected into ${host}: it exited in less than ${after} s`;
    return came.has(fault) ? [] : [missed];
  });
}

/** A job that notices a fault after more than this, in seconds, was waiting for a time limit. */
const FAST = 60;

/** Of `torch.distributed`, by what it sends with. */
export const TIME_LIMITS = "NCCL times out after 10 min and gloo after 30 min, " +
  "unless init_process_group sets another timeout";

/**
 * How the other hosts took what one of them suffered, as a line.
 *
 * @param at when it came, in seconds after the start.
 * @param ends all of them, in the order in which they ended.
 */
export function verdictOf(
  { host, kind, seconds }: Fault,
  at: number,
  ends: readonly HostEnd[],
): string {
  const duration = seconds === undefined ? "" : ` for ${seconds} s`;
  const passed = `${host} was ${WORDS[kind]} after ${clockText(at * 1000)}${duration}.`;
  const first = ends.find(({ status, cause, isLost }) =>
    (status !== 0 || cause !== undefined) && !isLost
  );
  if (first === undefined) {
    const isWhole = ends.every(({ status }) => status === 0);
    return `${passed} ${isWhole ? "All" : "The other"} hosts kept running and exited with 0.`;
  }
  const waited = first.seconds - at;
  const later = `${clockText(waited * 1000)} later`;
  const isStopped = first.cause !== undefined || first.stoppedWithin !== undefined;
  const words = isStopped
    ? `${later}, the others were still running.`
    : `${first.host} exited ${later} (${first.words}).`;
  return isStopped || waited > FAST
    ? `${passed} The job hung: ${words} ${TIME_LIMITS}.`
    : `${passed} The job failed fast: ${words}`;
}
