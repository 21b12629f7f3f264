/**
 * The directory of one run on the host: holds the contract's files while the container is there.
 * It lies in the app, since that is what every engine can see (a virtual machine's engine shares
 * the user's directories, and often not the system's temporary one).
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Engine } from "../docker/engine.ts";
import type { Layout } from "../project/layout.ts";
import type { ContractFiles } from "./contract_files.ts";
import { LABELS } from "./plan.ts";

/** A run that mlcli was killed in leaves its directory; after this long, in ms, it is cleared. */
const STALE_AFTER = 3_600_000;

/**
 * Writes the files, calls `work` with their directory, and removes it whatever happens.
 *
 * @param name the container's name.
 */
export async function withRunFolder<T>(
  engine: Engine,
  layout: Layout,
  name: string,
  files: ContractFiles,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const parent = join(layout.localTest, ".mlcli");
  await clearStale(engine, parent);
  const folder = join(parent, name);
  await Deno.mkdir(folder, { recursive: true });
  try {
    for (const [file, value] of Object.entries(files)) {
      await Deno.writeTextFile(join(folder, file), JSON.stringify(value, null, 2) + "\n");
    }
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
    await removeIfEmpty(parent);
  }
}

async function clearStale(engine: Engine, parent: string): Promise<void> {
  const stale = await staleFolders(parent);
  if (stale.length === 0) return;
  const containers = await engine.listContainers([LABELS.role]);
  const inUse = new Set(containers.flatMap((container) => container.Names));
  for (const name of stale) {
    // The engine writes names with a slash before them.
    if (!inUse.has(`/${name}`)) await Deno.remove(join(parent, name), { recursive: true });
  }
}

async function staleFolders(parent: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(parent)) {
      const { mtime } = await Deno.lstat(join(parent, entry.name));
      if (mtime && Date.now() - mtime.getTime() > STALE_AFTER) names.push(entry.name);
    }
  } catch (error) {
    // Not there yet, or a run that ends just now took its own away.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names;
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await Deno.remove(folder);
  } catch {
    // Another run of the app is using it.
  }
}
