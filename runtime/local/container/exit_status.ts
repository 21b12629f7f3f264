/**
 * How a container's program ended.
 *
 * @module
 */

import { type End, endOf } from "../../contract/outcome.ts";
import type { Engine } from "../../docker/engine.ts";

/** How a container's program ended, and whether for want of memory, as far as the engine knows. */
export async function endInWords(engine: Engine, id: string, status: number): Promise<End> {
  // Not known is not worth hiding the exit status for.
  const outOfMemory = status !== 0 && await engine.ranOutOfMemory(id).catch(() => false);
  return endOf(status, outOfMemory);
}
