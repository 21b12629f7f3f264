/**
 * How a container's program ended.
 *
 * @module
 */

import { type End, endOf } from "../contract/outcome.ts";
import type { Engine } from "../docker/engine.ts";

/** How a container's program ended, and whether it ran out of memory, if the engine knows. */
export async function endInWords(engine: Engine, id: string, status: number): Promise<End> {
  // The exit status must be shown also where this is not known.
  const outOfMemory = status !== 0 && await engine.ranOutOfMemory(id).catch(() => false);
  return endOf(status, outOfMemory);
}
