/**
 * The outputs of a processing job that the user named. Each is written in the directory of the run,
 * where nobody else reaches it, and moved to its place when the run has succeeded.
 */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { holdsFile } from "../../app/layout.ts";
import type { Paths } from "../../app/paths.ts";
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
import type { Messages } from "../../messages.ts";
import { outputsOfRun } from "../../model/runs.ts";
import type { Settled } from "../../model/versions.ts";
import { listed } from "../../text.ts";
import type { ProcessingOutput } from "../jobs.ts";
import { sift } from "./sift.ts";

/** Directory of an output in the run's directory. */
export function outputFolder(layout: Paths, run: string, { name }: ProcessingOutput): string {
  return join(outputsOfRun(layout, run), name);
}

/**
 * Requires that each output can be moved to its destination.
 *
 * @throws MlcliError if the destination exists, cannot be created, or is a link of the repository.
 */
export async function requireFree(
  layout: Paths,
  outputs: readonly ProcessingOutput[],
  inputs: readonly { readonly place: string }[],
): Promise<void> {
  const others = await Promise.all(inputs.map(({ place }) => realPathOf(place)));
  for (const output of outputs) {
    const target = await targetOf(layout, output);
    const other = others.find((one) =>
      !isOutside(relative(one, target)) || !isOutside(relative(target, one))
    );
    others.push(target);
    if (other === undefined) continue;
    const both = [other, target].map((path) => typedPath(layout, path)).join(" and ");
    throw new MlcliError(`Directories overlap: ${both} (--output-dir)`, {
      hint: "Use a separate directory for each output: --output-dir NAME=DIR",
    });
  }
}

/** @returns an absolute path without links. */
async function targetOf(layout: Paths, output: ProcessingOutput): Promise<string> {
  const { name, path, place } = output;
  const option = `--output-dir ${path === PATHS.processingOutput ? "" : `${name}=`}`;
  // Checked again after the run, because it might have planted a link.
  if (place !== undefined) {
    await requireNamed(layout.cwd, typedPath(layout, place));
  }
  // No link of the layout's is followed.
  const target = place === undefined ? join(layout.output, name) : await realPathOf(place);
  const problem = await problemAt(target).catch(fileErrorReason);
  if (problem === undefined) return target;
  throw new MlcliError(`${problem}: ${typedPath(layout, target)} (--output-dir)`, {
    hint: `Choose an empty or new directory that you can write to: ${option}DIR`,
  });
}

async function problemAt(target: string): Promise<string | undefined> {
  const info = await lstatIfThere(target);
  if (info && !info.isDirectory) return "Not a directory";
  if (info && [...Deno.readDirSync(target)].length > 0) return "The directory is not empty";
  let parent = dirname(target);
  while (await lstatIfThere(parent) === undefined) parent = dirname(parent);
  if (!(await lstatIfThere(parent))?.isDirectory) return "Not inside a directory";
  if (info) parent = target;
  const { access, constants } = await import("node:fs/promises");
  const isOpen = access(parent, constants.W_OK | constants.X_OK).then(() => true, () => false);
  if (await isOpen) return undefined;
  return info ? "The directory is not writable" : "The parent of this directory is not writable";
}

/**
 * Moves the outputs of a run that has succeeded. An output that cannot be moved stays with the run.
 *
 * @param signal ends a copy to another file system; its reason is thrown.
 * @throws MlcliError if an output cannot be moved, after the others are moved.
 */
export async function moveOutputs(
  layout: Paths,
  run: string,
  outputs: readonly ProcessingOutput[],
  { messages, signal }: { readonly messages: Messages; readonly signal: AbortSignal },
): Promise<Settled> {
  const moved: (readonly [string, string])[] = [];
  const folder = outputsOfRun(layout, run);
  const failures: MlcliError[] = [];
  for (const output of outputs) {
    const from = outputFolder(layout, run, output);
    const real = await realPathOf(from);
    // A name that no output can have.
    const sifted = join(folder, `~${output.name}`);
    try {
      const isEmpty = !await holdsFile(layout, from, from);
      const left = sift(from, sifted);
      await Deno.rename(sifted, from);
      const to = await targetOf(layout, output);
      await place(from, to, signal);
      moved.push([real, to]);
      say(messages, output, { isEmpty, left, shown: typedPath(layout, to) });
    } catch (error) {
      const there = await lstatIfThere(sifted) ? folder : from;
      const kept = `Get output ${output.name} from ${shellWord(typedPath(layout, there))}`;
      if (signal.aborted) messages.note(kept);
      signal.throwIfAborted();
      if (!(error instanceof MlcliError || isSystemError(error))) throw error;
      const message = `Cannot move output ${output.name}: ${fileErrorReason(error)}`;
      failures.push(new MlcliError(message, { hint: kept, cause: error }));
    }
  }
  const [first, ...others] = failures;
  for (const { message, hint } of others) messages.warning(message, hint);
  if (first !== undefined) throw first;
  await removeTreeIfThere(folder);
  return { moved };
}

function say(
  messages: Messages,
  { name, path }: ProcessingOutput,
  { isEmpty, left, shown }: {
    readonly isEmpty: boolean;
    readonly left: readonly string[];
    readonly shown: string;
  },
): void {
  if (isEmpty) {
    const hint =
      `Write to that directory in the code. To keep all of ${PATHS.processingOutput}, use -o ./DIR.`;
    messages.warning(`Output ${name} is empty: nothing was written to ${path}`, hint);
  } else messages.note(`Output ${name} is in ${shown}`);
  if (left.length === 0) return;
  const message = `Output ${name} does not include pipes, sockets and links that point outside it`;
  const hint =
    "To keep a link's target, copy it into the output: SageMaker does not upload it either";
  messages.warning(`${message}: ${listed([...left].sort())}`, hint);
}

/** Moves a tree to a new path, or its contents into an empty directory. */
async function place(from: string, to: string, signal: AbortSignal): Promise<void> {
  if (await lstatIfThere(to) !== undefined) {
    for (const { name } of Deno.readDirSync(from)) {
      await move(join(from, name), join(to, name), signal);
    }
    return;
  }
  await makeDirectory(dirname(to));
  // As a directory that the caller makes.
  if (Deno.build.os !== "windows") Deno.chmodSync(from, 0o777 & ~Deno.umask());
  await move(from, to, signal);
}

/** Also to another file system, where it appears when it is whole. */
async function move(from: string, to: string, signal: AbortSignal): Promise<void> {
  const part = `.${basename(to)}.${crypto.randomUUID().slice(0, 8)}.part`;
  await moveTree(from, to, { part: join(dirname(to), part), signal });
}

/**
 * Keeps what a run wrote that did not succeed.
 *
 * @returns where that is, as the user would type it; `undefined` where it wrote nothing.
 */
export async function keepOutputs(layout: Paths, run: string): Promise<string | undefined> {
  const folder = outputsOfRun(layout, run);
  // What cannot be read may hold some.
  const isThere = await holdsFile(layout, folder, folder).catch(() => true);
  if (isThere) return typedPath(layout, folder);
  return void await removeTreeIfThere(folder).catch(() => {});
}
