/** The directories of an app's runs: `local_test/jobs/NAME/`. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { Paths } from "../app/paths.ts";
import { lstatIfThere, removeIfThere } from "../files.ts";
import { isLeft, OWNER } from "../owner.ts";
import { isMissing } from "../errors.ts";

type Jobs = Pick<Paths, "jobs">;

/** What may be the name of a run: a file of a repository may say anything. */
export function isRunName(name: unknown): name is string {
  return typeof name === "string" && /^[A-Za-z0-9][\w.-]{0,199}$/.test(name);
}

/** The directory of a run. */
export function runDirectoryOf({ jobs }: Jobs, run: string): string {
  return join(jobs, run);
}

/** The model that a run made, while it is not the current one. */
export function modelOfRun(layout: Jobs, run: string): string {
  return join(runDirectoryOf(layout, run), "model");
}

/** What a processing job wrote, in a directory for each output, while it is not moved to its place. */
export function outputsOfRun(layout: Jobs, run: string): string {
  return join(runDirectoryOf(layout, run), "outputs");
}

/** In a run's directory: what is of each of several hosts alone, until it is merged. */
export const HOSTS = "hosts";

/** Directories that were rebuilt because they have links, in the directory of a run. */
export const LINKED = "linked";

/** In a run's directory: an empty file that pins its model. */
export const PIN = "pinned";

/** In the directory of such a host: what it wrote. */
export const WRITTEN = "written";

/** In `jobs/`: the directories with an unpacked model, each called after its server. */
export const UNPACKED = ".unpacked";

/** In `jobs/`: the code that runs had. */
export const KEPT_CODE = "code";

/** The archive of the code that a run had; `undefined` where it is not kept. A record may say anything. */
export async function keptCode(
  { jobs }: Jobs,
  hash: string | undefined,
): Promise<string | undefined> {
  if (hash === undefined || !/^[\da-f]{32}$/.test(hash)) return undefined;
  const folder = join(jobs, KEPT_CODE);
  if (!(await lstatIfThere(folder))?.isDirectory) return undefined;
  const path = join(folder, `${hash}.tar.gz`);
  return (await lstatIfThere(path))?.isFile ? path : undefined;
}

/** The paths of what is in one of these two. A link that a repository brought is none of mlcli's. */
export async function pathsInJobs({ jobs }: Jobs, name: string): Promise<readonly string[]> {
  return await pathsIn(join(jobs, name));
}

/** The paths of what is in a directory; none where it is a link, or not there. */
export async function pathsIn(folder: string): Promise<readonly string[]> {
  if (!(await lstatIfThere(folder))?.isDirectory) return [];
  return await Array.fromAsync(Deno.readDir(folder), ({ name }) => join(folder, name));
}

/** Makes one of these two. What else has its name goes. @throws Error of the system. */
export async function makeInJobs(layout: Jobs, name: string): Promise<string> {
  await makeJobs(layout);
  const folder = join(layout.jobs, name);
  if (!(await lstatIfThere(folder))?.isDirectory) await removeIfThere(folder);
  Deno.mkdirSync(folder, { mode: 0o700, recursive: true });
  await giveToOwner(folder);
  return folder;
}

/** The names of all that are there. Links are none of mlcli's. */
export function runNames({ jobs }: Jobs): readonly string[] {
  try {
    const entries = [...Deno.readDirSync(jobs)];
    return entries.filter(({ name, isDirectory }) =>
      isDirectory && isRunName(name) && name !== KEPT_CODE
    )
      .map(({ name }) => name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Whether a run has not come to its end, as far as its directory says. */
export async function isUnfinished(layout: Jobs, run: string): Promise<boolean> {
  const owner = join(runDirectoryOf(layout, run), OWNER);
  return await lstatIfThere(owner).catch(() => undefined) !== undefined;
}

/** Whether no mlcli sees to a run any more; its container may still run. */
export async function isRunOver(layout: Jobs, run: string): Promise<boolean> {
  return !await isUnfinished(layout, run) || await isLeft(runDirectoryOf(layout, run));
}

/**
 * Makes the directory of all runs, which Git leaves out.
 *
 * @throws Error of the system.
 */
export async function makeJobs({ jobs }: Jobs): Promise<void> {
  Deno.mkdirSync(jobs, { recursive: true });
  await giveToOwner(jobs);
  const path = join(jobs, IGNORE);
  try {
    Deno.writeTextFileSync(path, "*\n", { createNew: true });
  } catch (error) {
    // A file of the user's own stays.
    if (error instanceof Deno.errors.AlreadyExists) return;
    // An empty one would be taken for that.
    await removeIfThere(path).catch(() => {});
    throw error;
  }
}

const IGNORE = ".gitignore";

/**
 * Makes the directory of a new run, which only the caller may enter.
 *
 * @param names in the order in which they are tried: the first that no other run has.
 * @throws Error of the system.
 */
export async function makeRunDirectory(layout: Jobs, names: Iterable<string>): Promise<string> {
  await makeJobs(layout);
  for (const name of names) {
    try {
      Deno.mkdirSync(runDirectoryOf(layout, name), { mode: 0o700 });
      await giveToOwner(runDirectoryOf(layout, name));
      return name;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
  throw new Deno.errors.AlreadyExists("all names are taken");
}

/** Where root works in another user's directory, what it made there is that user's. */
export async function giveToOwner(path: string): Promise<void> {
  if (Deno.uid() !== 0) return;
  const { uid, gid } = Deno.statSync(dirname(path));
  if (!uid || gid === null) return;
  const { lchown } = await import("node:fs/promises");
  await lchown(path, uid, gid).catch(() => {});
}

/** Removes the directory of all runs if there is none in it. */
export async function removeEmptyJobs({ jobs }: Jobs): Promise<void> {
  const names = await Array.fromAsync(Deno.readDir(jobs), ({ name }) => name).catch(() => [""]);
  if (names.some((name) => name !== IGNORE)) return;
  await removeIfThere(join(jobs, IGNORE)).catch(() => {});
  await Deno.remove(jobs).catch(() => {});
}
