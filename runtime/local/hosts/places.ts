/** Hosts of a run, and the directories of each host. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { Paths } from "../../app/paths.ts";
import { type Cluster, hostNames, isSharded } from "../../contract/hosts.ts";
import { HOST } from "../../contract/jobs.ts";
import { hostContainerName } from "../../contract/names.ts";
import type { Engine } from "../../docker/engine.ts";
import { makeDirectory } from "../../files.ts";
import type { Messages } from "../../messages.ts";
import { counted } from "../../quantities.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import { hostOf } from "../container/body.ts";
import { HOSTS, WRITTEN } from "../../model/runs.ts";
import { requirePublishing } from "../container/refusals.ts";
import type { BatchJob, Hosts } from "../jobs.ts";

export interface HostPlace {
  /** Name: `algo-1` */
  readonly host: string;
  /** Its container's name. */
  readonly container: string;
  /** The run's directory; of several hosts, one in there. */
  readonly directory: string;
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
): readonly HostPlace[] {
  if (count === 1) return [{ host: HOST, container, directory }];
  return hostNames(count).map((host) => ({
    host,
    container: hostContainerName(container, host),
    directory: join(directory, HOSTS, host),
  }));
}

/** Where one of several hosts writes what is merged. */
export function writtenBy({ directory }: Pick<HostPlace, "directory">, name: string): string {
  return join(directory, WRITTEN, name);
}

/** Where a host of a training writes: one of several in its own place, which is merged into these. */
export function trainingFolders(
  { output, checkpoints }: Pick<Paths, "output" | "checkpoints">,
  model: string,
  place: Pick<HostPlace, "directory">,
  isAlone: boolean,
): Pick<Paths, "model" | "output" | "checkpoints"> {
  const of = (name: string, alone: string): string => isAlone ? alone : writtenBy(place, name);
  return {
    model: of("model", model),
    output: of("output", output),
    checkpoints: of("checkpoints", checkpoints),
  };
}

/** Networks on which hosts may be: an engine's own, or none beside the one that they get. */
const POSSIBLE: readonly (string | undefined)[] = [undefined, "bridge", "none"];

/**
 * @throws MlcliError if the engine has no network for several hosts, or publishes no ports; UsageError for
 * another network.
 */
export function requireNetworks(
  engine: Pick<Engine, "inStudio">,
  { hosts: { count }, network, publish }: Pick<BatchJob, "hosts" | "network" | "publish">,
): void {
  requirePublishing(engine, { publish });
  if (count === 1) return;
  if (engine.inStudio) {
    throw new MlcliError("Several hosts are not supported in SageMaker Studio", {
      hint: "Remove --instance-count, or use another Docker Engine: hosts need their own network",
    });
  }
  if (!POSSIBLE.includes(network)) {
    throw new UsageError(`Several hosts cannot use the network "${network}"`, {
      hint: "Remove --network: mlcli creates a network for the hosts. To isolate this network " +
        "from others, use --network-isolation.",
    });
  }
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

/** Directory of a host's part of sharded data; `undefined`: the host gets all data. */
export function shardOn(hosts: Hosts, place: HostPlace, name: string): string | undefined {
  return isSharded(hosts.shards, name) ? join(place.directory, "shards", name) : undefined;
}

/** Distributes the data that the hosts share. Prints a note with the number of hosts that get no files. */
export async function layShards(
  hosts: Hosts,
  places: readonly HostPlace[],
  data: readonly { readonly name: string; readonly source: string }[],
  messages: Pick<Messages, "note">,
): Promise<void> {
  for (const { name, source } of data) {
    let without = 0;
    for (const [index, place] of places.entries()) {
      const target = shardOn(hosts, place, name);
      if (target === undefined) continue;
      await makeDirectory(dirname(target));
      // Loaded late: most runs have one host.
      const { layShard } = await import("./shards.ts");
      if (await layShard(source, target, places.length, index) === 0) without++;
    }
    if (without === 0) continue;
    const few = `${without} of ${counted(places.length, "host")} receive no files`;
    messages.note(`${few} of ${inOneLine(name)}, which has fewer files than there are hosts`);
  }
}
