/**
 * A server in a container of its own, as the platform starts it, and reached at the container's own
 * address: a proxy of the engine between would hide resets and half-closed connections, and has
 * limits of its own.
 */

import { fromFileUrl, join } from "@std/path";
import type { Engine } from "../../runtime/docker/engine.ts";
import { type Ended, endOf, withContainer } from "./container.ts";
import { makeDirectory } from "./directory.ts";
import { engineRequest, TEST_IMAGE } from "./engine.ts";
import { eventually } from "./eventually.ts";
import { killedAfter, resultOf } from "./program.ts";

/** Longest time for a program in Python, in ms. */
const TIMEOUT = 120_000;

/** A server that answers. */
export interface ServingContainer {
  readonly engine: Engine;
  readonly id: string;
  /** The container's own address. */
  readonly hostname: string;
  readonly port: number;
  /** Sends SIGTERM. Returns how the container ended, and after how many ms. */
  stop(): Promise<Ended & { readonly took: number }>;
}

/**
 * Calls `work` with a server that runs this code in two workers.
 *
 * @param memory limit in bytes, without swap.
 * @param variables additional environment variables of the container, as `NAME=VALUE`.
 */
export async function withServing<T>(
  code: string,
  { memory, variables = [] }: {
    readonly memory?: number;
    readonly variables?: readonly string[];
  },
  work: (server: ServingContainer) => Promise<T>,
): Promise<T> {
  await using directory = await makeDirectory({ serve: code });
  const body = {
    Image: TEST_IMAGE,
    Cmd: ["serve"],
    Env: ["MLCLI_WORKERS=2", "MLCLI_MAX_BODY_MB=6", ...variables],
    Labels: {},
    HostConfig: {
      AutoRemove: false,
      Memory: memory,
      MemorySwap: memory,
      Mounts: [{
        Type: "bind" as const,
        Source: directory.path,
        Target: "/opt/ml/code",
        ReadOnly: true,
      }],
    },
  };
  return await withContainer(body, async (engine, id) => {
    const inspect = async () =>
      JSON.parse(await engineRequest("GET", `/containers/${id}/json`, [200]));
    const { NetworkSettings } = await inspect();
    const hostname: string = NetworkSettings.IPAddress ||
      NetworkSettings.Networks.bridge.IPAddress;
    const stop = async (): Promise<Ended & { readonly took: number }> => {
      const began = performance.now();
      await engineRequest("POST", `/containers/${id}/kill?signal=SIGTERM`, [204]);
      const ended = await endOf(engine, id);
      return { ...ended, took: performance.now() - began };
    };
    await eventually(async () => {
      if (await isReady(`http://${hostname}:8080/ping`)) return true;
      if ((await inspect()).State.Running) return false;
      throw new Error(`The server has ended: ${(await endOf(engine, id)).log}`);
    });
    return await work({ engine, id, hostname, port: 8080, stop });
  });
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Runs a program of `tests/helpers/hostile` against the server; fails where it finds anything. */
export async function runHostile(
  { hostname, port }: ServingContainer,
  program: string,
  ...args: readonly (string | number)[]
): Promise<void> {
  const path = join(fromFileUrl(new URL("hostile/", import.meta.url)), program);
  const command = new Deno.Command("python3", {
    args: ["-B", path, hostname, String(port), ...args.map(String)],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stdout, stderr } = await resultOf(killedAfter(TIMEOUT, command.spawn()));
  if (code !== 0 || stderr) throw new Error(`${program} found:\n${stdout}${stderr}`);
}
