/** Which host of a job failed first, as far as its logs tell. */

import { headlineOf, isShownIn, lastErrorIn } from "./outcome.ts";

/** The end of a host's log. */
export interface HostLog {
  readonly host: string;
  /** Its last lines. */
  readonly lines: readonly string[];
  /** When (ms) it wrote the last of them. */
  readonly last: number;
}

/** A host that was killed leaves no error: those of the others come from its end. */
const KILLED = /exit code:? (12[89]|1[3-9]\d|2\d\d)\b|more memory/i;

/** Errors of a host whose peer has ended: the words of sockets, gloo and NCCL. */
const OF_PEERS = /connection (was )?(closed|reset|refused|aborted)|broken pipe|\bNCCL\b/i;

/**
 * The host whose log ends with the error that `FailureReason` quotes; else the one whose log ends with an
 * error before those of all others that do. `undefined` where that is no single one.
 */
export function failedFirst(reason: string, logs: readonly HostLog[]): HostLog | undefined {
  const quoted = logs.filter(({ lines }) => {
    const text = lines.join("\n");
    return isShownIn(reason, text) || isShownIn(headlineOf(reason) ?? "", text);
  });
  if (quoted.length > 0) return earliest(quoted);
  if (KILLED.test(reason)) return undefined;
  return earliest(logs.filter(({ lines }) => {
    const error = lastErrorIn(lines.join("\n"));
    return error !== undefined && !OF_PEERS.test(error);
  }));
}

function earliest(logs: readonly HostLog[]): HostLog | undefined {
  const [first, second] = logs.toSorted((one, other) => one.last - other.last);
  return first?.last === second?.last ? undefined : first;
}
