/**
 * What commands that put a model in place began and, killed, did not finish.
 *
 * @module
 */

import type { Layout } from "../app/layout.ts";
import { isJobName } from "../contract/names.ts";
import { finishMove, finishSwap, MODEL_PREFIX, OLD } from "./folder.ts";
import { isRunOver } from "./runs.ts";

/**
 * Finishes it, so that `model` holds a whole model.
 *
 * @returns what follows `.model-` in the names of the directories that are left.
 */
export async function finishReplacements(layout: Layout): Promise<readonly string[]> {
  await finishMove(layout);
  const names = await modelFolders(layout.testDirectory);
  for (const run of names.map((name) => replacedBy(layout, name))) {
    if (run !== undefined && await isRunOver(layout, run)) await finishSwap(layout, run);
  }
  return names;
}

/** What follows `.model-` in the names of directories there. (Links are none of mlcli's.) */
export async function modelFolders(testDirectory: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(testDirectory));
  return entries.filter(({ name, isDirectory }) => isDirectory && name.startsWith(MODEL_PREFIX))
    .map(({ name }) => name.slice(MODEL_PREFIX.length)).sort();
}

/** The run whose model took the place of what is in a directory; `undefined`: it is no such one. */
export function replacedBy({ appName }: Layout, name: string): string | undefined {
  if (!name.endsWith(OLD)) return undefined;
  // Where several runs ended at once, there are some of the same.
  const run = name.slice(0, -OLD.length).replace(/-\d$/, "");
  return isJobName(run, appName, "train") ? run : undefined;
}
