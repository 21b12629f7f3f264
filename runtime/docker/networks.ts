/** Networks of an engine, and what hosts on one can be made to suffer. */

import { list, number, object, type Of, record, text } from "./shape.ts";
import type { Transport } from "./transport.ts";

/** A network to be made: a bridge, whose containers find each other by their names. */
export interface NewNetwork {
  readonly Name: string;
  /** Whether it leads nowhere else. */
  readonly Internal: boolean;
  readonly Labels: Readonly<Record<string, string>>;
}

/** A container's place on a network. */
export interface EndpointSettings {
  /** Names that the others find it by. */
  readonly Aliases: readonly string[];
  readonly IPAMConfig?: { readonly IPv4Address: string };
}

/** A row of `GET /networks`, and what `GET /networks/NAME` says. */
const NETWORK = object({ Name: text }, {
  Labels: record(text),
  IPAM: object({}, { Config: list(object({}, { Subnet: text })) }),
});

export type NetworkSummary = Of<typeof NETWORK>;

/** What `GET /containers/ID/stats` says each second, as far as mlcli asks: bytes. */
const STATS = object({}, {
  memory_stats: object({}, {
    usage: number,
    /** Files that the kernel keeps in memory while nobody else needs it: cgroups of version 2, and 1. */
    stats: object({}, { inactive_file: number, total_inactive_file: number }),
  }),
});

/** Calls about networks, and about containers that are on one; errors as those of `Engine`. */
export interface NetworkCalls {
  /** Those that carry all these labels (`key` or `key=value`); without any, all of them. */
  networks(labels: readonly string[], signal?: AbortSignal): Promise<readonly NetworkSummary[]>;
  createNetwork(network: NewNetwork): Promise<void>;
  /** The range of a network's addresses, `10.89.0.0/24`; `undefined` where the engine does not say. */
  subnetOf(network: string): Promise<string | undefined>;
  /** Removes a network. One that is gone is no error; one that containers are on is. */
  removeNetwork(name: string, signal?: AbortSignal): Promise<void>;
  /** Freezes a container's processes. */
  pauseContainer(id: string): Promise<void>;
  /** Lets them go on. One that does not run is no error. */
  unpauseContainer(id: string): Promise<void>;
  /** The memory that a container uses, in bytes, about each second until it ends. */
  memoryOf(id: string, signal: AbortSignal): AsyncGenerator<number, void, void>;
}

export function networkCalls(request: Transport["request"]): NetworkCalls {
  async function command(path: string, expect: readonly number[], json?: unknown): Promise<void> {
    await (await request("POST", path, { expect, ...json === undefined ? {} : { json } }))
      .discard();
  }

  return {
    async networks(label, signal) {
      const path = `/networks?${new URLSearchParams({ filters: JSON.stringify({ label }) })}`;
      return await (await request("GET", path, { expect: [200], signal })).json(list(NETWORK));
    },
    createNetwork: (network) =>
      command("/networks/create", [201], { ...network, Driver: "bridge", CheckDuplicate: true }),
    async subnetOf(network) {
      const answer = await request("GET", `/networks/${network}`, { expect: [200] });
      return (await answer.json(NETWORK)).IPAM?.Config?.[0]?.Subnet;
    },
    async removeNetwork(name, signal) {
      await (await request("DELETE", `/networks/${name}`, { expect: [200, 204, 404], signal }))
        .discard();
    },
    pauseContainer: (id) => command(`/containers/${id}/pause`, [204]),
    // 500: it is not paused (Docker 20.10).
    unpauseContainer: (id) => command(`/containers/${id}/unpause`, [204, 404, 409, 500]),
    async *memoryOf(id, signal) {
      const path = `/containers/${id}/stats?stream=1`;
      const options = { expect: [200], effort: "ask", isStream: true, signal } as const;
      for await (const { memory_stats } of (await request("GET", path, options)).lines(STATS)) {
        const { usage, stats } = memory_stats ?? {};
        const cached = stats?.total_inactive_file ?? stats?.inactive_file ?? 0;
        if (usage !== undefined) yield Math.max(0, usage - cached);
      }
    },
  };
}
