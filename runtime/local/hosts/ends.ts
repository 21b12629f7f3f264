/** How the hosts of a run ended, as one end. */

import { SIGKILL_STATUS } from "../../contract/outcome.ts";
import type { HostFacts } from "../../model/records.ts";
import type { Ending } from "../../model/versions.ts";
import type { RunOutcome } from "../container/run.ts";
import type { HostEnd } from "./run.ts";

/**
 * The end that counts as that of all: of those that were asked to end, one that did not or the last; else
 * the first that failed by itself, those that were made to after all others; else the last host's.
 * `undefined` where none has ended.
 *
 * @param last the last host's name.
 */
export function decisive(ends: readonly HostEnd[], last: string): HostEnd | undefined {
  const own = ends.filter(({ endedBy }) => endedBy === undefined);
  const interrupted = own.filter(({ cause }) => cause !== undefined);
  const asked = interrupted.length > 0
    ? interrupted
    : own.filter(({ stoppedWithin }) => stoppedWithin !== undefined);
  const failed = own.filter(({ status }) => status !== 0);
  return asked.find(({ status }) => status === SIGKILL_STATUS) ?? asked.at(-1) ??
    failed.find(({ isLost }) => !isLost) ?? failed[0] ??
    ends.find(({ host }) => host === last);
}

/** What is kept of the hosts, in the order of their names. */
export function factsOfHosts(ends: readonly HostEnd[]): readonly HostFacts[] {
  return ends.toSorted((one, other) => one.host < other.host ? -1 : 1).map((end) => ({
    name: end.host,
    exit_status: end.status,
    seconds: Math.round(end.seconds * 10) / 10,
    peak_memory: end.peakMemory ?? null,
    // A host that was lost before may be heard of only after those that its loss made fail.
    ended_by: end.isLost ? null : end.endedBy ?? null,
  }));
}

export function endingOf({ status, cause, stoppedWithin }: RunOutcome): Ending {
  const isStopped = cause !== undefined || stoppedWithin !== undefined;
  if (isStopped) return status === SIGKILL_STATUS ? "failed" : "stopped";
  return status === 0 ? "succeeded" : "failed";
}
