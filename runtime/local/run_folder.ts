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
import {
  LARGEST_TEXT,
  lstatIfThere,
  makeDirectory,
  readTextFile,
  removeTreeIfThere,
  systemCode,
} from "../files.ts";
import { LABELS } from "../labels.ts";
import { managed } from "./container/managed.ts";
import { makeReport } from "./differences/report.ts";

/** Begins the directory's name in `local_test/`, before the container's name. */
const PREFIX = ".run-";

/**
 * A run in which mlcli was killed leaves its directory, and, if it never started, its container.
 * From this age (ms) on they count as left over; younger ones may be of a run that is starting.
 */
const STALE_AFTER = 60_000;

/** States of a container that never began, or has ended and was not removed (Podman). */
export const OVER: readonly string[] = ["created", "configured", "exited", "dead"];

/** File that says which mlcli a run belongs to: `PROCESS_ID HOST_NAME`. */
const OWNER = "owner";

/** Where a run's files are. */
export interface RunFolder {
  readonly folder: string;
  /** A directory in it that holds the contract's files, and nothing else. */
  readonly config: string;
  /** A file in it that the harness in the container reports to. */
  readonly report: string;
}

/**
 * Writes the files, calls `work` with their directory, and removes it whatever happens.
 *
 * @param name the container's name.
 */
export async function withRunFolder<T>(
  engine: Engine,
  layout: Layout,
  name: string,
  files: ConfigurationFiles,
  work: (folder: RunFolder) => Promise<T>,
): Promise<T> {
  // A run must not fail because of what another one left.
  await clearStale(engine, layout).catch(() => {});
  const folder = join(layout.localTest, PREFIX + name);
  const config = join(folder, "config");
  await Deno.mkdir(folder);
  try {
    await Deno.writeTextFile(join(folder, OWNER), `${Deno.pid} ${Deno.hostname()}`);
    await makeDirectory(config);
    for (const [file, value] of Object.entries(files)) {
      await Deno.writeTextFile(join(config, file), JSON.stringify(value, null, 2) + "\n");
    }
    return await work({ folder, config, report: await makeReport(folder) });
  } finally {
    await removeTreeIfThere(folder).catch(() => {});
  }
}

/**
 * A directory's name says which container it was for, but a cloned repository can hold directories
 * of any name. So a container is removed with it only if it is a run of this app.
 */
async function clearStale(engine: Engine, { appName, localTest }: Layout): Promise<void> {
  const stale = await staleRuns(localTest);
  if (stale.length === 0) return;
  const containers = await engine.listContainers([LABELS.role]);
  for (const name of stale) {
    const container = containers.find((summary) => namesOf(summary).includes(name));
    if (container !== undefined) {
      const run = managed(container);
      const isOurs = run?.name === name && run.appName === appName && run.role !== "serve";
      if (isOurs && !OVER.includes(container.State)) continue;
      if (isOurs) await engine.removeContainer(container.Id);
    }
    await removeTreeIfThere(join(localTest, PREFIX + name)).catch(() => {});
  }
}

/** The names of runs that nobody sees to any more. */
async function staleRuns(localTest: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(localTest)) {
    if (!name.startsWith(PREFIX)) continue;
    if (await isLeftOver(join(localTest, name))) names.push(name.slice(PREFIX.length));
  }
  return names;
}

/** Whether no mlcli sees to a run any more; its container may still run. */
export async function isRunOver({ localTest }: Layout, run: string): Promise<boolean> {
  const folder = join(localTest, PREFIX + run);
  return await lstatIfThere(folder) === undefined || await isLeftOver(folder);
}

/** Whether a run's mlcli is gone; where that is not known, whether the directory is old. */
async function isLeftOver(folder: string): Promise<boolean> {
  const owner = await readTextFile(join(folder, OWNER), LARGEST_TEXT).catch(() => "");
  const [id, host] = owner.split(" ");
  if (/^\d+$/.test(id ?? "") && host === Deno.hostname()) return !await isAlive(Number(id));
  const info = await Deno.lstat(folder).catch(() => undefined);
  return Date.now() - (info?.mtime?.getTime() ?? Date.now()) > STALE_AFTER;
}

async function isAlive(processId: number): Promise<boolean> {
  const { kill } = await import("node:process");
  try {
    return kill(processId, 0);
  } catch (error) {
    // EPERM: somebody else's.
    return systemCode(error) !== "ESRCH";
  }
}
