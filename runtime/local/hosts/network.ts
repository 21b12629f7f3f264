/** The network of a run's hosts, on which they find each other by their names. */

import type { App } from "../../app/app.ts";
import { ownerLabels } from "../../app/image.ts";
import { LABELS } from "../../contract/images.ts";
import type { CreateBody, Engine } from "../../docker/engine.ts";
import { EngineError } from "../../docker/errors.ts";
import type { EndpointSettings } from "../../docker/networks.ts";
import { REMOVAL_TIMEOUT } from "../../docker/time_limits.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import { isOwnerAlive, ownerText } from "../../owner.ts";
import { byteCount, counted } from "../../quantities.ts";
import { VERSION } from "../../version.ts";
import type { BatchJob } from "../jobs.ts";

export interface HostNetwork {
  readonly name: string;
  /** A host's place on it. */
  readonly endpointOf: (host: string) => EndpointSettings;
  /** `NAME:ADDRESS`, where the engine does not tell containers the names of others. */
  readonly addresses: readonly string[];
}

/** Networks on which hosts may be: an engine's own, or none beside the one that they get. */
const POSSIBLE: readonly (string | undefined)[] = [undefined, "bridge", "none"];

/** @throws MlcliError where the engine has no network for several hosts, or another one is asked for. */
export function requireNetworks(
  { inStudio }: Pick<Engine, "inStudio">,
  { hosts: { count }, network }: Pick<BatchJob, "hosts" | "network">,
): void {
  if (count === 1) return;
  if (inStudio) {
    throw new MlcliError("SageMaker Studio gives containers no network of their own", {
      hint: "Several hosts need one: leave --instance-count out, or run them on another engine.",
    });
  }
  if (POSSIBLE.includes(network)) return;
  throw new UsageError(`Several hosts cannot be on the network ${network}`, {
    hint: "They get one of their own: leave --network out. With --network-isolation it leads " +
      "nowhere else.",
  });
}

/** What to say where hosts share less than they would have: each line a note. */
export async function shortageNotes(
  engine: Engine,
  { hosts: { count }, memory, gpus }: Pick<BatchJob, "hosts" | "memory" | "gpus">,
): Promise<readonly string[]> {
  if (count === 1) return [];
  const { NCPU = count, MemTotal = Infinity } = await engine.info();
  return [
    ...count > NCPU ? [`${count} hosts share ${counted(NCPU, "CPU")} here`] : [],
    ...memory !== undefined && count * memory > MemTotal
      ? [
        `${count} hosts with ${byteCount(memory)} each have more than this machine's memory ` +
        `(${byteCount(MemTotal)})`,
      ]
      : [],
    ...gpus === undefined ? [] : [`${count} hosts share the same GPUs here`],
  ];
}

/**
 * Makes a network, and removes those that killed mlclis left.
 *
 * @param run its name.
 * @throws MlcliError where the engine has no more of them to give.
 */
export async function makeNetwork(
  engine: Engine,
  app: App,
  run: string,
  hosts: readonly string[],
  isIsolated: boolean,
): Promise<HostNetwork> {
  const name = networkName(run);
  await pruneNetworks(engine);
  try {
    await engine.createNetwork({
      Name: name,
      Internal: isIsolated,
      Labels: {
        ...ownerLabels(app),
        [LABELS.owner]: ownerText(),
        [LABELS.version]: VERSION,
      },
    });
  } catch (error) {
    throw error instanceof EngineError ? refusalOf(error) ?? error : error;
  }
  // Before 4.x, Podman's containers find names with a plugin alone, and start without it, too.
  const subnet = engine.isPodman ? await engine.subnetOf(name) : undefined;
  const addresses = subnet === undefined ? [] : addressesIn(subnet, hosts.length);
  return {
    name,
    endpointOf: (host) => ({
      Aliases: [host],
      ...addresses.length === 0
        ? {}
        : { IPAMConfig: { IPv4Address: addresses[hosts.indexOf(host)]! } },
    }),
    addresses: addresses.map((address, index) => `${hosts[index]}:${address}`),
  };
}

export function networkName(run: string): string {
  return `mlcli-${run}`;
}

/** Removes the networks of mlclis that are gone, but for those that containers are on. */
export async function pruneNetworks(engine: Engine): Promise<void> {
  for (const { Name, Labels = {} } of await engine.networks([LABELS.owner])) {
    if (await isOwnerAlive(Labels[LABELS.owner] ?? "") === false) {
      await engine.removeNetwork(Name).catch(() => {});
    }
  }
}

/** Removes one whose containers are gone. What fails here, the next run with several hosts removes. */
export async function removeNetwork(engine: Engine, { name }: HostNetwork): Promise<void> {
  await engine.removeNetwork(name, AbortSignal.timeout(REMOVAL_TIMEOUT)).catch(() => {});
}

/** Docker's words since 2014, and since 25. */
const NONE_LEFT = /non-overlapping IPv4 address pool|predefined address pools/i;

function refusalOf(cause: EngineError): MlcliError | undefined {
  if (!NONE_LEFT.test(cause.reason)) return undefined;
  return new MlcliError("The Docker Engine has no addresses left for another network", {
    quote: cause.reason,
    hint: "docker network prune removes those that no container uses.",
    cause,
  });
}

/** The first addresses of a range that are not the range's own, or its gateway's. */
export function addressesIn(subnet: string, count: number): readonly string[] {
  const [, network = "", bits = ""] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(subnet) ?? [];
  if (network === "" || 2 ** (32 - Number(bits)) < count + 3) return [];
  const first = network.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  return Array.from({ length: count }, (_, index) => {
    const address = first + 2 + index;
    return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
  });
}

/** The container of a host, on the network. */
export function onNetwork(
  body: CreateBody,
  host: string,
  { name, endpointOf, addresses }: HostNetwork,
  cpus: number | undefined,
): CreateBody {
  return {
    ...body,
    Hostname: host,
    NetworkingConfig: { EndpointsConfig: { [name]: endpointOf(host) } },
    HostConfig: {
      ...body.HostConfig,
      NetworkMode: name,
      // Not the own address of a host that is alone: the others would take that for their own.
      ExtraHosts: addresses,
      ...cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) },
    },
  };
}
