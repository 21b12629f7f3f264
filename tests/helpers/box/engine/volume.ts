/**
 * Volumes of the engine that have content before a container sees them.
 *
 * @module
 */

import type { EngineApi } from "../engine_api.ts";
import type { Entry } from "./archive.ts";
import { EngineContainer, ownLabel } from "./container.ts";

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
