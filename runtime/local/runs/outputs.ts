/**
 * The outputs of a processing job that the user named. Each is written in the directory of the run,
 * where nobody else reaches it, and moved to its place when the run has succeeded.
 */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { holdsFile, type Layout } from "../../app/layout.ts";
import { requireNamed } from "../../app/named_path.ts";
import { isOutside, shellWord, typedPath } from "../../app/typed_path.ts";
import { PATHS } from "../../contract/jobs.ts";
import { fileErrorReason, isSystemError, MlcliError } from "../../errors.ts";
import {
  lstatIfThere,
  makeDirectory,
  moveTree,
  realPathOf,
  removeTreeIfThere,
} from "../../files.ts";
import { type MessageStream, tell, warningText } from "../../messages.ts";
import { outputsOfRun } from "../../model/runs.ts";
import type { Settled } from "../../model/versions.ts";
import { listed } from "../../text.ts";
import type { ProcessingOutput } from "../jobs.ts";

/** The directory of an output in that of its run. */
export function outputFolder(layout: Layout, run: string, { name }: ProcessingOutput): string {
  return join(outputsOfRun(layout, run), name);
}

/**
 * Requires that each output can be put into its place: that is what a rename does.
 *
 * @throws MlcliError where something is there, nothing can be made there, or a link of the repository leads
 * there.
 */
export async function requireFree(
  layout: Layout,
  outputs: readonly ProcessingOutput[],
): Promise<void> {
  for (const output of outputs) await targetOf(layout, output);
}

/** @returns an absolute path without links. */
async function targetOf(layout: Layout, output: ProcessingOutput): Promise<string> {
  const { name, path, place } = output;
  const option = `--output-dir ${path === PATHS.processingOutput ? "" : `${name}=`}`;
  if (place !== undefined) await requireNamed(layout.directory, place, option);
  // No link of the layout's is followed.
  const target = place === undefined ? join(layout.output, name) : await realPathOf(place);
  const problem = await problemAt(target).catch(fileErrorReason);
  if (problem === undefined) return target;
  throw new MlcliError(`${problem}: ${typedPath(layout.directory, target)} (--output-dir)`, {
    hint: `Remove what is there, or name another place, empty or new: ${option}DIR`,
  });
}

async function problemAt(target: string): Promise<string | undefined> {
  const info = await lstatIfThere(target);
  if (info && !info.isDirectory) return "Not a directory";
  if (info && [...Deno.readDirSync(target)].length > 0) return "The directory is not empty";
  let parent = dirname(target);
  while (await lstatIfThere(parent) === undefined) parent = dirname(parent);
  const { access, constants } = await import("node:fs/promises");
  const isOpen = access(parent, constants.W_OK | constants.X_OK).then(() => true, () => false);
  return await isOpen ? undefined : "The directory around it is closed";
}

/**
 * Moves the outputs of a run that has succeeded: each is whole in its place, or not there. What cannot be
 * moved stays with the run.
 *
 * @throws MlcliError where one cannot be moved.
 */
export async function moveOutputs(
  layout: Layout,
  run: string,
  outputs: readonly ProcessingOutput[],
  err: MessageStream,
): Promise<Settled> {
  const moved: (readonly [string, string])[] = [];
  for (const output of outputs) {
    const from = outputFolder(layout, run, output);
    try {
      const links = await disarm(from);
      const to = await targetOf(layout, output);
      moved.push([await realPathOf(from), to]);
      await move(from, to);
      if (links.length === 0) continue;
      const message = `Links that lead out of the output ${output.name} are left out`;
      const hint = "The platform does not upload what they lead to either.";
      tell(err, warningText(`${message}: ${listed(links)}`, hint));
    } catch (error) {
      if (!(error instanceof MlcliError || isSystemError(error))) throw error;
      throw new MlcliError(
        `The output ${output.name} cannot be moved: ${fileErrorReason(error)}`,
        {
          hint: `It stays with the run: ${shellWord(typedPath(layout.directory, from))}`,
          cause: error,
        },
      );
    }
  }
  await removeTreeIfThere(outputsOfRun(layout, run));
  return { moved };
}

async function move(from: string, to: string): Promise<void> {
  // Its mode is that of a new directory, or of the one that it replaces.
  await makeDirectory(to);
  const { mode } = Deno.statSync(to);
  if (mode !== null) Deno.chmodSync(from, mode & ~PRIVILEGES & 0o7777);
  // Where something has come into it, this fails.
  Deno.removeSync(to);
  const part = `.${basename(to)}.${crypto.randomUUID().slice(0, 8)}.part`;
  await moveTree(from, to, join(dirname(to), part));
}

const PRIVILEGES = 0o6000;

/**
 * Takes setuid and setgid away from all that is in a directory, since it is going to where others reach
 * it, and removes links that lead out of it.
 *
 * @returns the links, relative to it.
 * @throws Error of the system for what cannot be looked at, or changed.
 */
async function disarm(directory: string): Promise<readonly string[]> {
  const root = await realPathOf(directory);
  const links: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const { name } of Deno.readDirSync(folder)) {
      const path = join(folder, name);
      const { isSymlink, isDirectory, mode } = Deno.lstatSync(path);
      if (isSymlink) {
        const target = await realPathOf(path).catch(() => "/");
        if (isOutside(relative(root, target))) links.push(relative(root, path));
      } else if ((mode! & PRIVILEGES) !== 0) Deno.chmodSync(path, mode! & ~PRIVILEGES & 0o7777);
      if (isDirectory) await visit(path);
    }
  };
  await visit(root);
  // At the end: whether one leads out may depend on another.
  for (const path of links) Deno.removeSync(join(root, path));
  return links.sort();
}

/**
 * Keeps what a run wrote that did not succeed.
 *
 * @returns where that is, as the user would type it; `undefined` where it wrote nothing.
 */
export async function keepOutputs(layout: Layout, run: string): Promise<string | undefined> {
  const folder = outputsOfRun(layout, run);
  // What cannot be read may hold some.
  const isThere = await holdsFile(layout, folder, folder).catch(() => true);
  if (isThere) return typedPath(layout.directory, folder);
  return void await removeTreeIfThere(folder).catch(() => {});
}
