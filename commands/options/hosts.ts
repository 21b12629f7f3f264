/** The options of local jobs on several hosts, and their parsers. */

import { hostNames } from "../../runtime/contract/hosts.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { Fault, Hosts } from "../../runtime/local/jobs.ts";
import { options, type Values } from "./option.ts";
import { parsed, secondsIn, wholeNumber } from "./parsers.ts";

/** More hosts than a machine is asked for in earnest; each has a container. */
const MOST_HOSTS = 64;

/** `algo-2@60`, `algo-2@1m+30s` */
const FAULT = /^(.+)@([\w.]+)(?:\+([\w.]+))?$/;

/** Returns the seconds of a duration or of a decimal number, of at most eleven days. */
function faultSeconds(text: string): number {
  const seconds = /^\d+\.\d+$/.test(text) ? Number(text) : secondsIn(text);
  return seconds !== undefined && seconds < 1e6 ? seconds : NaN;
}

function faultOption(kind: Fault["kind"], does: string) {
  // A host that is killed does not come back.
  const form = kind === "kill" ? "HOST@TIME" : "HOST@TIME[+DURATION]";
  return {
    group: "Failure rehearsal",
    rare: true,
    value: form,
    description: `${does} (repeatable)`,
    repeatable: true,
    parse: parsed((text): Fault | undefined => {
      const [, host = "", time = "", duration] = FAULT.exec(text) ?? [];
      const after = faultSeconds(time);
      const seconds = duration === undefined ? undefined : faultSeconds(duration);
      const isWrong = Number.isNaN(after) || Number.isNaN(seconds);
      if (isWrong || kind === "kill" && seconds !== undefined) return undefined;
      return { kind, host, after, seconds };
    }, `${form}, such as algo-2@60s`),
  } as const;
}

export const hostOptions = options({
  "-c, --instance-count NUMBER": {
    group: "Hosts",
    description: "Number of hosts; each host is a container, named algo-1, algo-2, ...",
    default: "1",
    parse: wholeNumber(MOST_HOSTS),
  },
  "--shard INPUT...": {
    group: "Hosts",
    rare: true,
    description:
      "Split the files of INPUT between the hosts; all splits the files of every input " +
      "(repeatable)",
  },
  "--kill-host": faultOption("kill", "Kill HOST after TIME, such as algo-2@60s"),
  "--freeze-host": faultOption("freeze", "Freeze HOST after TIME, for DURATION or forever"),
});

/** @throws UsageError for hosts that there are not, or options that need several. */
export function hostsOf(
  typed: Values<typeof hostOptions>,
): Hosts {
  const { instanceCount: count, shard, killHost, freezeHost } = typed;
  const faults = [...killHost, ...freezeHost];
  if (count === 1 && (shard.length > 0 || faults.length > 0)) {
    throw new UsageError(
      "--shard, --kill-host and --freeze-host require several hosts",
      { hint: "Run on two hosts: add --instance-count 2" },
    );
  }
  const names = hostNames(count);
  const { host } = faults.find((fault) => !names.includes(fault.host)) ?? {};
  if (host !== undefined) {
    throw new UsageError(`Host "${host}" does not exist: the hosts are algo-1 to algo-${count}`);
  }
  return { count, shards: shard, faults };
}
