/**
 * What to do about an engine's words, whatever the call was.
 *
 * @module
 */

import { ENGINE_DISK_FULL, saysDiskFull } from "./full_disk.ts";
import { studioHint } from "./studio.ts";

/** The hint, where the words name their cause; `undefined` for others. */
export function remedyFor(words: string): string | undefined {
  return saysDiskFull(words) ? ENGINE_DISK_FULL : studioHint(words);
}
