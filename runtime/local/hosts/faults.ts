/** Faults that a run's hosts are made to suffer, and how the job took them: a rehearsal. */

import type { Engine } from "../../docker/engine.ts";
import { clockText } from "../../quantities.ts";
import type { Fault } from "../jobs.ts";
import type { HostNetwork } from "./network.ts";
import type { HostContainer, HostEnd } from "./run.ts";

/** What happened to which host, and when: seconds after the start. */
export interface Suffered {
  readonly fault: Fault;
  readonly at: number;
}

const WORDS: Readonly<Record<Fault["kind"], readonly [now: string, then: string]>> = {
  kill: ["is killed now", "was killed"],
  freeze: ["is frozen now", "was frozen"],
  partition: ["is cut off from the others now", "was cut off from the others"],
};

/**
 * Makes hosts that have just started suffer faults.
 *
 * @param tell is told what happens, as it happens.
 * @returns ends it; what a frozen host waits for goes on.
 */
export function injectFaults(
  engine: Engine,
  network: HostNetwork,
  containers: readonly HostContainer[],
  faults: readonly Fault[],
  tell: (text: string, suffered: Suffered | undefined) => void,
): Disposable {
  const timers = new DisposableStack();
  const start = performance.now();
  const later = (seconds: number, work: () => Promise<void>): void => {
    const timer = setTimeout(() => void work().catch(() => {}), seconds * 1000);
    timers.defer(() => clearTimeout(timer));
  };
  for (const fault of faults) {
    const { host, kind, after, seconds } = fault;
    const { name } = containers.find((container) => container.host === host)!;
    later(after, async () => {
      if (!await engine.isRunning(name)) return;
      tell(`${host} ${WORDS[kind][0]}`, { fault, at: (performance.now() - start) / 1000 });
      if (kind === "kill") await engine.killContainer(name);
      if (kind === "freeze") await engine.pauseContainer(name);
      if (kind === "partition") await engine.disconnect(network.name, name);
    });
    if (seconds === undefined) continue;
    later(after + seconds, async () => {
      if (!await engine.isRunning(name)) return;
      if (kind === "freeze") await engine.unpauseContainer(name);
      if (kind === "partition") await engine.connect(network.name, name, network.endpointOf(host));
      tell(`${host} is back`, undefined);
    });
  }
  return timers;
}

/** Whether the host is gone for good: a machine that is, or that is frozen, tells nobody. */
export function isLost({ kind, seconds }: Fault): boolean {
  return kind !== "partition" && seconds === undefined;
}

/** What there is to say of a fault that did not come. */
export function missedText({ host, after }: Fault): string {
  return `Nothing was rehearsed on ${host}: it had ended before ${after} s.`;
}

/** A job that notices a fault after more than this, in seconds, was waiting for a time limit. */
const FAST = 60;

/** Of `torch.distributed`, by what it sends with. */
export const TIME_LIMITS = "NCCL gives up after 10 min, gloo after 30 min, unless " +
  "init_process_group gets another timeout";

/**
 * How the other hosts took what one of them suffered, as a line.
 *
 * @param ends all of them, in the order in which they ended.
 */
export function verdictOf({ fault, at }: Suffered, ends: readonly HostEnd[]): string {
  const { host, kind, seconds } = fault;
  const duration = seconds === undefined ? "" : `, for ${seconds} s`;
  const passed = `${host} ${WORDS[kind][1]} after ${clockText(at * 1000)}${duration}.`;
  const first = ends.find(({ status, cause, endedBy, isLost }) =>
    (status !== 0 || cause !== undefined) && endedBy === undefined && !isLost
  );
  if (first === undefined) {
    const isWhole = ends.every(({ status }) => status === 0);
    return `${passed} ${isWhole ? "All hosts" : "The others"} went on, and ended with status 0.`;
  }
  const waited = first.seconds - at;
  const later = clockText(waited * 1000);
  if (first.cause !== undefined || first.stoppedWithin !== undefined) {
    return `${passed} The job hung: ${later} later the others had not ended. ${TIME_LIMITS}.`;
  }
  const ended = `${first.host} ended ${later} later (${first.words}).`;
  return waited <= FAST
    ? `${passed} The job failed fast: ${ended}`
    : `${passed} The job hung: ${ended} ${TIME_LIMITS}.`;
}
