/** The hosts of a run, and where what is of each alone lies. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { type Cluster, hostNames, isSharded } from "../../contract/hosts.ts";
import { HOST } from "../../contract/jobs.ts";
import { hostContainerName } from "../../contract/names.ts";
import type { Engine } from "../../docker/engine.ts";
import { makeDirectory } from "../../files.ts";
import { counted } from "../../quantities.ts";
import { inOneLine } from "../../text.ts";
import { hostOf } from "../container/body.ts";
import { HOSTS } from "../../model/runs.ts";
import { makeReport } from "../differences/report.ts";
import type { BatchJob, Hosts } from "../jobs.ts";
import type { Run } from "../runs/run.ts";
import { layShard } from "./shards.ts";

export interface HostPlace {
  /** What it is called: `algo-1` */
  readonly host: string;
  /** Its container's name. */
  readonly container: string;
  /** The run's directory; of several hosts, one in there. */
  readonly directory: string;
  /** A file in it that the harness in the container reports to. */
  readonly report: string;
}

/**
 * The places of a run's hosts. One that is alone has the run's own.
 *
 * @param directory of the run.
 */
export function placesIn(
  directory: string,
  container: string,
  count: number,
): readonly Omit<HostPlace, "report">[] {
  if (count === 1) return [{ host: HOST, container, directory }];
  return hostNames(count).map((host) => ({
    host,
    container: hostContainerName(container, host),
    directory: join(directory, HOSTS, host),
  }));
}

/** Makes the directories of a run's hosts. */
export async function hostPlaces(
  { directory, report }: Pick<Run, "directory" | "report">,
  container: string,
  count: number,
): Promise<readonly HostPlace[]> {
  return await Promise.all(
    placesIn(directory, container, count).map(async (place) => {
      if (count === 1) return { ...place, report };
      await makeDirectory(place.directory);
      return { ...place, report: makeReport(place.directory) };
    }),
  );
}

/** What a host is told of all. Under `--strict` the group has them in another order, as it may there. */
export function clusterFor(
  engine: Pick<Engine, "inStudio">,
  { host }: HostPlace,
  { hosts: { count }, strict }: Pick<BatchJob, "hosts" | "strict">,
): Cluster {
  const current = count === 1 ? hostOf(engine) : host;
  const hosts = count === 1 ? [current] : hostNames(count);
  return { current, hosts, groupHosts: strict ? hosts.toReversed() : hosts };
}

/** Where a host's part of its data lies. */
export function shardPlace({ directory }: Pick<HostPlace, "directory">, name: string): string {
  return join(directory, "shards", name);
}

/**
 * The parts of their data that hosts get, in the place of all of it.
 *
 * @param note is told of hosts that get none.
 */
export async function shardsOf<Data extends { readonly name: string; readonly source: string }>(
  hosts: Hosts,
  places: readonly HostPlace[],
  data: readonly Data[],
  note: (text: string) => void,
): Promise<readonly (readonly Data[])[]> {
  const all = places.map(() => [...data]);
  if (places.length === 1) return all;
  for (const [position, one] of data.entries()) {
    if (!isSharded(hosts.shards, one.name)) continue;
    let without = 0;
    for (const [index, place] of places.entries()) {
      const source = shardPlace(place, one.name);
      await makeDirectory(dirname(source));
      const files = await layShard(one.source, source, places.length, index);
      if (files === 0) without++;
      all[index]![position] = { ...one, source };
    }
    if (without > 0) {
      note(
        `${without} of ${counted(places.length, "host")} get no file of ${inOneLine(one.name)}: ` +
          "it has fewer files than there are hosts",
      );
    }
  }
  return all;
}
