/**
 * The directory of one run on the host: holds the contract's files while the container is there.
 * It lies in the app, since that is what every engine can see (a virtual machine's engine shares
 * the user's directories, and often not the system's temporary one).
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Layout } from "../app/layout.ts";
import type { ConfigurationFiles } from "../contract/configuration_files.ts";
import { type Engine, namesOf } from "../docker/engine.ts";
import { makeDirectory, removeTreeIfThere } from "../files.ts";
import { LABELS } from "../contract/images.ts";
import { claimRun, runFolderOf, staleRuns } from "../model/runs.ts";
import { managed, removeAbandoned } from "./container/managed.ts";
import { makeReport } from "./differences/report.ts";
import { closeDoor } from "./door.ts";
import type { Host } from "./jobs.ts";

/** States of a container that never began, or has ended and was not removed (Podman). */
export const OVER: readonly string[] = ["created", "configured", "exited", "dead"];

/** Where a run's files are. */
export interface RunFolder {
  readonly folder: string;
  /** A directory in it that holds the contract's files, and nothing else. */
  readonly config: string;
  /** A file in it that the harness in the container reports to. */
  readonly report: string;
  /** Leaves the directory to a container that may still run; the app's next command clears it away. */
  readonly keep: () => void;
}

/**
 * Writes the files, calls `work` with their directory, and removes it whatever happens, unless `work`
 * says that it is to be kept.
 *
 * @param name the container's name.
 * @throws MlcliError where other users could use what the container writes.
 */
export async function withRunFolder<T>(
  host: Pick<Host, "engine" | "caller" | "err">,
  layout: Layout,
  name: string,
  files: ConfigurationFiles,
  work: (folder: RunFolder) => Promise<T>,
): Promise<T> {
  await closeDoor(layout, host);
  // A run must not fail because of what another one left.
  await clearStale(await host.engine(), layout).catch(() => {});
  const folder = runFolderOf(layout, name);
  const config = join(folder, "config");
  // The contract's files have the values of variables, and the container may write to the report.
  await Deno.mkdir(folder, { mode: 0o700 });
  let isKept = false;
  const keep = (): void => void (isKept = true);
  try {
    await claimRun(folder);
    await makeDirectory(config);
    for (const [file, value] of Object.entries(files)) {
      await Deno.writeTextFile(join(config, file), JSON.stringify(value, null, 2) + "\n");
    }
    await openToContainer(config);
    return await work({ folder, config, report: await makeReport(folder), keep });
  } finally {
    if (!isKept) await removeTreeIfThere(folder).catch(() => {});
  }
}

/**
 * Lets the user of any image read a directory and what is in it, whatever the caller's umask is. To
 * others on this machine it is closed by the run's directory around it.
 */
export async function openToContainer(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  const closed = await Array.fromAsync(closedIn(path));
  for (const { path, mode } of closed) await Deno.chmod(path, mode);
}

/** What others may not read, and the mode with which they may. */
async function* closedIn(
  path: string,
): AsyncGenerator<{ readonly path: string; readonly mode: number }, void, void> {
  const info = await Deno.lstat(path);
  const { isDirectory, isFile } = info;
  if (!isDirectory && !isFile) return;
  const mode = info.mode! & 0o7777;
  const open = mode | (isDirectory ? 0o755 : 0o444);
  if (open !== mode) yield { path, mode: open };
  if (!isDirectory) return;
  for await (const { name } of Deno.readDir(path)) yield* closedIn(join(path, name));
}

/**
 * A directory's name says which container it was for, but a cloned repository can hold directories
 * of any name. So a container is removed with it only if it is a run of this app.
 */
async function clearStale(engine: Engine, layout: Layout): Promise<void> {
  const stale = await staleRuns(layout);
  if (stale.length === 0) return;
  const containers = await engine.listContainers([LABELS.role]);
  await removeAbandoned(engine, containers);
  for (const name of stale) {
    const container = containers.find((summary) => namesOf(summary).includes(name));
    if (container !== undefined) {
      const run = managed(container);
      const isOurs = run?.name === name && run.appName === layout.appName && run.role !== "serve";
      if (isOurs && !OVER.includes(container.State)) continue;
      if (isOurs) await engine.removeContainer(container.Id);
    }
    await removeTreeIfThere(runFolderOf(layout, name)).catch(() => {});
  }
}
