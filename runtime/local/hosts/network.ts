/** The network of a run's hosts, on which they find each other by their names. */

import type { App } from "../../app/app.ts";
import { ownerLabels } from "../../app/image.ts";
import { LABELS } from "../../contract/images.ts";
import type { CreateBody, Engine } from "../../docker/engine.ts";
import { EngineError } from "../../docker/errors.ts";
import type { EndpointSettings } from "../../docker/networks.ts";
import { REMOVAL_TIMEOUT } from "../../docker/time_limits.ts";
import { MlcliError } from "../../errors.ts";
import { isOwnerAlive, ownerText } from "../../owner.ts";
import { byteCount, counted } from "../../quantities.ts";
import { VERSION } from "../../version.ts";
import { machineEntriesOf } from "../container/machine_name.ts";
import type { BatchJob } from "../jobs.ts";

export interface HostNetwork {
  readonly name: string;
  /** By host, where the engine does not tell containers the names of others; else none. */
  readonly addresses: Readonly<Record<string, string>>;
}

/** What to say where hosts share less than they would have: each line a note. */
export async function shortageNotes(
  engine: Engine,
  { hosts: { count }, memory, gpus }: Pick<BatchJob, "hosts" | "memory" | "gpus">,
): Promise<readonly string[]> {
  const { NCPU = count, MemTotal = Infinity } = await engine.info();
  return [
    ...count > NCPU ? [`${count} hosts share this machine's ${counted(NCPU, "CPU")}`] : [],
    ...memory !== undefined && count * memory > MemTotal
      ? [
        `${count} hosts with ${byteCount(memory)} each exceed this machine's memory ` +
        `(${byteCount(MemTotal)})`,
      ]
      : [],
    ...gpus === undefined ? [] : [`${count} hosts share this machine's GPUs`],
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
    addresses: Object.fromEntries(addresses.map((address, index) => [hosts[index]!, address])),
  };
}

/** A host's place on the network. */
export function endpointOn({ addresses }: HostNetwork, host: string): EndpointSettings {
  const IPv4Address = addresses[host];
  return { Aliases: [host], ...IPv4Address === undefined ? {} : { IPAMConfig: { IPv4Address } } };
}

export function networkName(run: string): string {
  return `mlcli-${run}`;
}

/** Removes the networks of mlclis that are gone, but for those that containers are on. */
export async function pruneNetworks(engine: Engine): Promise<void> {
  for (const { Name, Labels = {} } of await engine.networks([LABELS.owner])) {
    // Others may give theirs any label.
    if (Name.startsWith("mlcli-") && await isOwnerAlive(Labels[LABELS.owner] ?? "") === false) {
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
    hint: "Remove the networks that no container uses: docker network prune",
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
export function onNetwork(body: CreateBody, host: string, network: HostNetwork): CreateBody {
  return {
    ...body,
    Hostname: host,
    NetworkingConfig: { EndpointsConfig: { [network.name]: endpointOn(network, host) } },
    HostConfig: {
      ...body.HostConfig,
      NetworkMode: network.name,
      // Not the own address of a host that is alone: the others would take that for their own.
      ExtraHosts: [
        ...Object.entries(network.addresses).map((pair) => pair.join(":")),
        ...machineEntriesOf(body),
      ],
    },
  };
}
