/**
 * What boxes left on the engine whose process was killed before they could close.
 *
 * @module
 */

import type { EngineApi } from "../engine_api.ts";
import { LABEL } from "./container.ts";

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
