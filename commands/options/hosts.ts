/** The options of local jobs on several hosts, and their parsers. */

import { hostNames } from "../../runtime/contract/hosts.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { Fault, Hosts } from "../../runtime/local/jobs.ts";
import { options, type Values } from "./option.ts";
import { wholeNumber } from "./parsers.ts";

/** More hosts than a machine is asked for in earnest; each has a container. */
const MOST_HOSTS = 64;

/** `algo-2@60`, `algo-2@60+30`. Times of more than eleven days are none of a rehearsal. */
const FAULT = /^(.+)@(\d{1,6}(?:\.\d+)?)(?:\+(\d{1,6}(?:\.\d+)?))?$/;

function faultOption(kind: Fault["kind"], does: string) {
  // A host that is killed does not come back.
  const form = kind === "kill" ? "HOST@SECONDS" : "HOST@SECONDS[+DURATION]";
  return {
    value: form,
    description: `${does} (repeatable)`,
    repeatable: true,
    parse: (text: string, source: string): Fault => {
      const [, host, after, seconds] = FAULT.exec(text) ?? [];
      if (host === undefined || kind === "kill" && seconds !== undefined) {
        throw new UsageError(`${source} must be ${form}, such as algo-2@60, but got "${text}"`);
      }
      const duration = seconds === undefined ? undefined : Number(seconds);
      return { kind, host, after: Number(after), seconds: duration };
    },
  } as const;
}

/** No letters: `--command sh --command -c` runs a shell's line in an image. */
export const hostOptions = options({
  "--instance-count": {
    value: "number",
    description: "Number of hosts: containers algo-1, algo-2, ... that can reach each other",
    default: "1",
    parse: wholeNumber(MOST_HOSTS),
  },
  "--shard": {
    value: "name",
    description: "Channel or input whose files are split between the hosts (repeatable)",
    repeatable: true,
  },
  "--kill-host": faultOption("kill", "Kill HOST after SECONDS, such as algo-2@60"),
  "--freeze-host": faultOption("freeze", "Freeze HOST after SECONDS, for DURATION s or forever"),
});

/** @throws UsageError for hosts that there are not, or options that need several. */
export function hostsOf(
  typed: Values<typeof hostOptions> & { readonly inputSharded?: boolean },
): Hosts {
  const { instanceCount: count, shard, killHost, freezeHost } = typed;
  const faults = [...killHost, ...freezeHost];
  if (count === 1 && (shard.length > 0 || typed.inputSharded || faults.length > 0)) {
    throw new UsageError(
      "--shard, --input-sharded, --kill-host and --freeze-host require several hosts",
      { hint: "Run on two hosts: add --instance-count 2" },
    );
  }
  const names = hostNames(count);
  const { host } = faults.find((fault) => !names.includes(fault.host)) ?? {};
  if (host !== undefined) {
    throw new UsageError(`Host "${host}" does not exist: the hosts are algo-1 to algo-${count}`);
  }
  return { count, shards: typed.inputSharded ? "all" : shard, faults };
}
