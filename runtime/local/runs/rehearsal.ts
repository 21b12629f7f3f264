/** What a rehearsal of a stop shows: `local train --stop-after`. */

import { join } from "@std/path/join";
import { isPlaceholder } from "../../app/layout.ts";
import type { Paths } from "../../app/paths.ts";
import { typedPath } from "../../app/typed_path.ts";
import { counted } from "../../quantities.ts";
import type { RunOutcome } from "../container/run.ts";

/**
 * How a training took its stop, and what it saved, as lines.
 *
 * @param seconds after which it was to be stopped.
 * @param written how many files are in the model that it wrote, and that is in its place now.
 */
export async function rehearsalText(
  layout: Paths,
  seconds: number,
  written: number,
  { words, stoppedWithin }: RunOutcome,
): Promise<string> {
  if (stoppedWithin === undefined) {
    return `Training exited within ${seconds} s, before it was stopped`;
  }
  const saved: string[] = [];
  const counts = [
    [layout.model, written],
    [layout.checkpoints, await filesIn(layout.checkpoints)],
  ] as const;
  for (const [folder, count] of counts) {
    const place = typedPath(layout, folder);
    if (count > 0) saved.push(`${place} (${counted(count, "file")})`);
  }
  return `Stopped training after ${seconds} s, as SageMaker does. ` +
    `It exited ${stoppedWithin.toFixed(1)} s after SIGTERM: ${words}.\n` +
    (saved.length > 0
      ? `Saved so far: ${saved.join(", ")}`
      : "Nothing was saved: neither a model nor a checkpoint");
}

/** How many files a directory holds at any depth; 0 where it cannot be read. */
export async function filesIn(folder: string): Promise<number> {
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
