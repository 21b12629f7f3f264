/**
 * One run: its directory `local_test/jobs/NAME/`, which only the caller may enter, and which has all of
 * it. It lies in the app, since that is what every engine can see (a virtual machine's engine shares the
 * user's directories, and often not the system's temporary one).
 */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import type { Paths } from "../../app/paths.ts";
import { typedPath } from "../../app/typed_path.ts";
import type { ConfigurationFiles } from "../../contract/configuration_files.ts";
import { platformJobName } from "../../contract/names.ts";
import { isSystemError } from "../../errors.ts";
import {
  cannotCreate,
  lstatIfThere,
  makeDirectory,
  removeIfThere,
  removeTreeIfThere,
} from "../../files.ts";
import { claim, OWNER } from "../../owner.ts";
import {
  HOSTS,
  LINKED,
  makeRunDirectory,
  modelOfRun,
  outputsOfRun,
  pathsIn,
  removeEmptyJobs,
  runDirectoryOf,
  WRITTEN,
} from "../../model/runs.ts";
import { closeDoor } from "../door.ts";
import type { Host } from "../jobs.ts";
import { prune } from "./prune.ts";
import { outcomeOf, RunRecord } from "./record.ts";

/** A run that goes on. */
export interface Run {
  /** Also that of the job, as the code sees it. */
  readonly name: string;
  readonly directory: string;
  readonly record: RunRecord;
  /** Leaves the directory to a container that may still run; the app's next command sees to it. */
  readonly leave: () => void;
  /** Says something below all else that is said of the run. */
  readonly sayLast: (say: () => void) => void;
}

/** What is in a run's directory for its container alone. */
const WORKING_FILES = [
  ...["config", "input", "code", "common", "network", "output", "download", "report"],
  LINKED,
];

/**
 * Calls `work` with a new run, and writes the result into its record. The run's name consists of the app's
 * name and the time. A run that never began leaves no files.
 *
 * @throws MlcliError if other users could use files that the container writes.
 */
export async function withRun<T>(
  layout: Paths,
  host: Pick<Host, "engine" | "caller" | "messages" | "env" | "clock" | "interruption">,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  await closeDoor(layout, host);
  const isFirst = await lstatIfThere(layout.jobs) === undefined;
  const names = namesFrom(layout.appName, host.clock.date().getTime());
  const name = await makeRunDirectory(layout, names).catch(async (cause) => {
    if (!isSystemError(cause)) throw cause;
    if (isFirst) await removeEmptyJobs(layout);
    throw cannotCreate(typedPath(layout, layout.jobs), cause);
  });
  const directory = runDirectoryOf(layout, name);
  const record = new RunRecord(name, directory, { layout, ...host });
  let isLeft = false;
  const leave = (): void => void (isLeft = true);
  const last: (() => void)[] = [];
  const sayLast = (say: () => void): void => void last.push(say);
  let failure: { readonly error: unknown } | undefined;
  try {
    claim(directory);
    return await work({ name, directory, record, leave, sayLast });
  } catch (error) {
    failure = { error };
    throw error;
  } finally {
    // How a container that is left ends, nobody knows yet.
    record.end(isLeft ? null : outcomeOf(record, failure));
    const results = [modelOfRun(layout, name), outputsOfRun(layout, name)];
    const left = await Promise.all(results.map((path) => lstatIfThere(path)));
    const isKept = record.isThere || record.hasBegun && left.some((info) => info !== undefined);
    if (!isLeft) {
      await (isKept ? clearRun(directory) : removeTreeIfThere(directory)).catch(() => {});
    }
    if (!isKept && isFirst) await removeEmptyJobs(layout);
    if (isKept) await prune(layout, host);
    for (const say of last) say();
  }
}

/** Of the app's name and the time: two of the same millisecond get two. */
function* namesFrom(appName: string, start: number): Generator<string, void, void> {
  for (let time = start;; time++) yield platformJobName(appName, new Date(time).toISOString());
}

/** The directories of a run that its container may write to, and that go with it. */
export async function workingFolders(directory: string): Promise<readonly string[]> {
  const paths = ["config", "input", "code", "common"].map((name) => join(directory, name));
  const infos = await Promise.all(paths.map((path) => lstatIfThere(path)));
  return paths.filter((_, index) => infos[index]?.isDirectory);
}

/** Removes what was there for the container alone. Until all of it is gone, the run has no end. */
export async function clearRun(directory: string): Promise<void> {
  await Promise.all(WORKING_FILES.map((name) => removeTreeIfThere(join(directory, name))));
  const hosts = join(directory, HOSTS);
  for (const host of await pathsIn(hosts)) {
    for (const path of await pathsIn(host)) {
      if (basename(path) !== WRITTEN) await removeTreeIfThere(path);
      else await Deno.remove(path).catch(() => {});
    }
    await Deno.remove(host).catch(() => {});
  }
  await Deno.remove(hosts).catch(() => {});
  await removeIfThere(join(directory, OWNER));
}

/** Writes the contract's files into a directory of the run, which the container may write to. */
export async function writeConfiguration(config: string, files: ConfigurationFiles): Promise<void> {
  await makeDirectory(config);
  for (const [file, value] of Object.entries(files)) {
    Deno.writeTextFileSync(join(config, file), JSON.stringify(value, null, 2) + "\n");
  }
}

/**
 * Lets the user of any image read and change a directory and what is in it, whatever the caller's umask
 * is. To others on this machine it is closed by the run's directory around it.
 */
export function openToContainer(path: string): void {
  if (Deno.build.os === "windows") return;
  const { isDirectory, isFile, mode } = Deno.lstatSync(path);
  if (!isDirectory && !isFile) return;
  const open = mode! & 0o7777 | (isDirectory ? 0o777 : 0o666);
  if (open !== (mode! & 0o7777)) Deno.chmodSync(path, open);
  if (!isDirectory) return;
  for (const { name } of Deno.readDirSync(path)) openToContainer(join(path, name));
}
