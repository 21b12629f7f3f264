/**
 * Networks of the engine.
 *
 * @module
 */

import type { EngineApi } from "../engine_api.ts";
import { ownLabel } from "./container.ts";

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
