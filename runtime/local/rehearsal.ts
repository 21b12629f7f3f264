/**
 * What a rehearsal of a stop shows: `local train --stop-after`.
 *
 * @module
 */

import { join } from "@std/path/join";
import { isPlaceholder, type Layout } from "../app/layout.ts";
import { typedPath } from "../app/typed_path.ts";
import type { RunOutcome } from "./container/run.ts";

/**
 * How a training took its stop, and what it saved, as lines.
 *
 * @param seconds after which it was to be stopped.
 */
export async function rehearsalText(
  layout: Layout,
  seconds: number,
  { words, stoppedWithin }: RunOutcome,
): Promise<string> {
  if (stoppedWithin === undefined) {
    return `The training ended by itself within ${seconds} s: nothing was stopped.\n`;
  }
  const saved: string[] = [];
  for (const folder of [layout.model, layout.checkpoints]) {
    const count = await filesIn(folder);
    const files = count === 1 ? "1 file" : `${count} files`;
    if (count > 0) saved.push(`${typedPath(layout.directory, folder)} (${files})`);
  }
  return `Stopped after ${seconds} s, as the platform stops a training. ` +
    `It ended ${stoppedWithin.toFixed(1)} s after SIGTERM: ${words}.\n` +
    (saved.length > 0
      ? `There now: ${saved.join(", ")}\n`
      : "Nothing was saved: neither a model nor a checkpoint.\n");
}

/** How many files a directory holds at any depth; 0 where it cannot be read. */
async function filesIn(folder: string): Promise<number> {
  let count = 0;
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) count += await filesIn(join(folder, name));
      else if (!isPlaceholder(name)) count++;
    }
  } catch {
    // It is not there, or closed.
  }
  return count;
}
