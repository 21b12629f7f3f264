/** Volumes and networks on the engine, and what a killed process left there. */

import type { EngineApi } from "../engine_api.ts";
import type { Entry } from "./archive.ts";
import { EngineContainer, LABEL, ownLabel } from "./container.ts";

/** A volume that is there until it is removed. */
export class FilledVolume {
  private constructor(private readonly engine: EngineApi, readonly name: string) {}

  /**
   * Makes one, and fills it through a container that is never started: the engine writes into
   * nothing that is mounted read-only.
   *
   * @param image Any that the engine has.
   * @param entries By their paths in the volume.
   */
  static async create(
    engine: EngineApi,
    image: string,
    entries: readonly Entry[],
  ): Promise<FilledVolume> {
    const Name = `mlcli-box-${crypto.randomUUID().slice(0, 8)}`;
    await engine.send("POST", "/volumes/create", { body: { Name, Labels: ownLabel() } });
    const volume = new FilledVolume(engine, Name);
    try {
      await volume.#fill(image, entries);
      return volume;
    } catch (error) {
      await volume.remove();
      throw error;
    }
  }

  /** Removes it; the containers that saw it have to be gone. */
  async remove(): Promise<void> {
    await this.engine.send("DELETE", `/volumes/${this.name}`, { expect: [204, 404] });
  }

  async #fill(image: string, entries: readonly Entry[]): Promise<void> {
    const container = await EngineContainer.create(this.engine, {
      image,
      command: ["none"],
      variables: {},
      mounts: [{ volume: this.name, directory: "/content", isReadOnly: false }],
      host: "filler",
      network: "none",
      memory: undefined,
    });
    try {
      await container.fill(entries.map((entry) => ({ ...entry, name: `content/${entry.name}` })));
    } finally {
      await container.remove();
    }
  }
}

/**
 * Makes a network.
 * @param isInternal Whether it leads nowhere: to its containers, and this machine alone.
 * @returns its name.
 */
export async function createNetwork(engine: EngineApi, isInternal: boolean): Promise<string> {
  const Name = `mlcli-box-${crypto.randomUUID().slice(0, 8)}`;
  await engine.send("POST", "/networks/create", {
    body: { Name, Internal: isInternal, Labels: ownLabel() },
  });
  return Name;
}

/** Removes it; its containers have to be gone. */
export async function removeNetwork(engine: EngineApi, name: string): Promise<void> {
  await engine.send("DELETE", `/networks/${name}`, { expect: [204, 404] });
}

/** Removes containers, networks and volumes of processes of this machine that are no more. */
export async function removeLeftovers(engine: EngineApi): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: [LABEL] }));
  const isGone = ({ Labels }: { readonly Labels: Readonly<Record<string, string>> }): boolean => {
    const [machine, process] = Labels[LABEL]!.split(":");
    return machine === Deno.hostname() && !isAlive(Number(process));
  };
  const containers = await engine.json("GET", `/containers/json?all=1&filters=${filters}`);
  for (const { Id } of containers.filter(isGone)) {
    // 409: somebody else is at it.
    const expect = [204, 404, 409];
    await engine.send("DELETE", `/containers/${Id}?force=1&v=1`, { expect });
  }
  const networks = await engine.json("GET", `/networks?filters=${filters}`);
  for (const { Id } of networks.filter(isGone)) {
    await engine.send("DELETE", `/networks/${Id}`, { expect: [204, 403, 404] });
  }
  const { Volumes } = await engine.json("GET", `/volumes?filters=${filters}`);
  for (const { Name } of (Volumes ?? []).filter(isGone)) {
    await engine.send("DELETE", `/volumes/${Name}`, { expect: [204, 404, 409] });
  }
}

/** (Linux has a directory for each process; where there is none, nobody is taken for dead.) */
function isAlive(process: number): boolean {
  if (Deno.build.os !== "linux") return true;
  try {
    Deno.statSync(`/proc/${process}`);
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return false;
  }
}
