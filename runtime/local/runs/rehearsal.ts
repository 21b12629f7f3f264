/** What a rehearsal of a stop shows: `local train --stop-after`. */

import { join } from "@std/path/join";
import { isPlaceholder } from "../../app/layout.ts";
import type { Paths } from "../../app/paths.ts";
import { typedPath } from "../../app/typed_path.ts";
import { counted } from "../../quantities.ts";
import type { RunOutcome } from "../container/run.ts";

/**
 * Returns lines about the reaction of a training run to its stop, and about the files that it saved.
 *
 * @param seconds after which the run was to be stopped.
 * @param written number of files in the new model, which is already in `model/`.
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

/** Number of files in a directory at any depth; 0 if the directory cannot be read. */
export async function filesIn(folder: string): Promise<number> {
  let count = 0;
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) count += await filesIn(join(folder, name));
      else if (!isPlaceholder(name)) count++;
    }
  } catch {
    // The directory does not exist, or is not readable.
  }
  return count;
}
