/** The options of local jobs on several hosts, and their parsers. */

import { hostNames } from "../../runtime/contract/hosts.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { Fault, Hosts } from "../../runtime/local/jobs.ts";
import { parseCpus } from "./container.ts";
import { options, type Values } from "./option.ts";

/** More hosts than a machine is asked for in earnest; each has a container. */
const MOST_HOSTS = 64;

function parseHostCount(text: string, source: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MOST_HOSTS) return count;
  throw new UsageError(
    `${source} must be a number of hosts from 1 to ${MOST_HOSTS}, but got "${text}".`,
  );
}

/** A host, and what comes after it. Times of more than eleven days are none of a rehearsal. */
const TIMES = /^(algo-[1-9]\d{0,3})@(\d{1,6}(?:\.\d+)?)(?:\+(\d{1,6}(?:\.\d+)?))?$/;
const CPUS = /^(algo-[1-9]\d{0,3})=(.*)$/s;

/** `algo-2@60`, and `algo-2@60+30` where it may end. */
function parseFault(kind: Fault["kind"], mayEnd: boolean) {
  return (text: string, source: string): Fault => {
    const [, host, after, seconds] = TIMES.exec(text) ?? [];
    if (host !== undefined && (mayEnd || seconds === undefined)) {
      return {
        kind,
        host,
        after: Number(after),
        seconds: seconds === undefined ? seconds : Number(seconds),
      };
    }
    const form = mayEnd ? "HOST@SECONDS or HOST@SECONDS+SECONDS" : "HOST@SECONDS";
    throw new UsageError(`${source} must be ${form}, such as algo-2@60, but got "${text}".`);
  };
}

function parseSlow(text: string, source: string): readonly [host: string, cpus: number] {
  const [, host, cpus = ""] = CPUS.exec(text) ?? [];
  if (host !== undefined) return [host, parseCpus(cpus, source)];
  throw new UsageError(`${source} must be HOST=CPUS, such as algo-2=0.5, but got "${text}".`);
}

export const hostOptions = options({
  "--instance-count": {
    short: "-c",
    value: "number",
    description: "Number of hosts, algo-1 and so on: containers that find each other by name.",
    default: "1",
    parse: parseHostCount,
  },
  "--shard": {
    value: "name",
    description: "Channel or input of which each host gets a part of the files. May be repeated.",
    repeatable: true,
  },
  "--kill-host": {
    value: "host",
    description: "HOST@SECONDS: rehearse the loss of a host, such as algo-2@60. May be repeated.",
    repeatable: true,
    parse: parseFault("kill", false),
  },
  "--freeze-host": {
    value: "host",
    description: "HOST@SECONDS[+SECONDS]: freeze it, to the end or for so long. May be repeated.",
    repeatable: true,
    parse: parseFault("freeze", true),
  },
  "--partition": {
    value: "host",
    description: "HOST@SECONDS[+SECONDS]: cut it off from the others. May be repeated.",
    repeatable: true,
    parse: parseFault("partition", true),
  },
  "--slow-host": {
    value: "host",
    description: "HOST=CPUS: give it fewer processors, such as algo-2=0.5. May be repeated.",
    repeatable: true,
    parse: parseSlow,
  },
});

/** @throws UsageError for hosts that there are not, or options that need several. */
export function hostsOf(
  typed: Values<typeof hostOptions> & { readonly inputSharded?: boolean },
): Hosts {
  const { instanceCount: count, shard, killHost, freezeHost, partition, slowHost } = typed;
  const faults = [...killHost, ...freezeHost, ...partition];
  const given = Object.entries({
    "--shard": shard.length,
    "--input-sharded": typed.inputSharded ? 1 : 0,
    "--kill-host": killHost.length,
    "--freeze-host": freezeHost.length,
    "--partition": partition.length,
    "--slow-host": slowHost.length,
  }).find(([, length]) => length > 0);
  if (count === 1 && given !== undefined) {
    throw new UsageError(`Option "${given[0]}" is about several hosts.`, {
      hint: "--instance-count 2 runs the code on two.",
    });
  }
  const names = hostNames(count);
  const named = [...faults.map(({ host }) => host), ...slowHost.map(([host]) => host)];
  const unknown = named.find((host) => !names.includes(host));
  if (unknown !== undefined) {
    throw new UsageError(`There is no host ${unknown}: ${count} are algo-1 to algo-${count}.`);
  }
  return {
    count,
    shards: typed.inputSharded ? "all" : shard,
    faults,
    cpus: Object.fromEntries(slowHost),
  };
}
