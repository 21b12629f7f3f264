/** The channels of a local training, and how they are mounted. */

import { join } from "@std/path/join";
import { PUT_IT_THERE, requireInside } from "../app/confinement.ts";
import { holdsFile, requireNotWritten, requireTrainingData } from "../app/layout.ts";
import type { Paths } from "../app/paths.ts";
import { linkBoundary } from "../app/links.ts";
import { requireNamed } from "../app/named_path.ts";
import { shellWord, typedPath } from "../app/typed_path.ts";
import { type Channel, isChannelName, mergedChannels } from "../contract/channels.ts";
import { PATHS } from "../contract/jobs.ts";
import { CODE_CHANNELS } from "../contract/launch.ts";
import { MlcliError, UsageError } from "../errors.ts";
import { isDirectory, statIfThere } from "../files.ts";

/**
 * The directories below `input/data`, except the one that is for processing, and those that the
 * user named, which win. Sorted by name. As on SageMaker, none has to be called `training`. One
 * of them has to hold a file, and not of code.
 *
 * @param needsData whether there has to be any.
 * @throws MlcliError when one leads out of the app's repository, or there is nothing to train on;
 * UsageError when a path that the user named is not a directory.
 */
export async function channelsOf(
  layout: Paths,
  named: readonly Channel[],
  needsData = true,
): Promise<readonly Channel[]> {
  for (const { source, name } of named) await requireDirectory(layout, source, name);
  const found = await channelsInLayout(layout, named.map(({ name }) => name));
  const channels = mergedChannels(found, named);
  const data = channels.filter(({ name }) => !CODE_CHANNELS.includes(name));
  if (needsData) {
    await requireTrainingData(layout, data.map(({ source }) => source), named[0]?.source);
  }
  return channels;
}

/**
 * Requires that no channel of the user's has the name of one that has code.
 *
 * @throws UsageError for one that is typed; MlcliError for a directory.
 */
export function requireNoCodeChannel(
  layout: Paths,
  channels: readonly Channel[],
  named: readonly Channel[],
): void {
  const wrong = channels.find(({ name }) => CODE_CHANNELS.includes(name));
  if (wrong === undefined) return;
  const isTyped = named.includes(wrong);
  const Failure = isTyped ? UsageError : MlcliError;
  throw new Failure(`Channel "${wrong.name}" is reserved for code`, {
    hint: isTyped
      ? "Choose another name for the data: --input CHANNEL=DIR"
      : `Rename the directory ${typedPath(layout, wrong.source)}`,
  });
}

/** The names of those that hold no file, as far as they can be read. */
export async function emptyChannels(
  layout: Paths,
  channels: readonly Channel[],
): Promise<readonly string[]> {
  const empty: string[] = [];
  for (const { name, source } of channels) {
    const boundary = await linkBoundary(source, layout.boundary);
    if (!await holdsFile(layout, source, boundary).catch(() => true)) empty.push(name);
  }
  return empty;
}

/** What to do when the data of a channel lies somewhere else. */
export function channelRemedy(name: string): (target: string) => string {
  // Only a name that SageMaker would take, too, can be given.
  if (!isChannelName(name)) return () => PUT_IT_THERE;
  return (target) =>
    "If you trust that path, pass it as an input: " +
    `mlcli local train --input ${shellWord(`${name}=${target}`)}`;
}

/**
 * @param name that it was given with.
 * @throws UsageError when a path that the user named is not a directory.
 */
export async function requireDirectory(
  layout: Paths,
  source: string,
  name: string | undefined,
): Promise<void> {
  const path = typedPath(layout, source);
  // Checked again for each run of --watch, because the run before might have planted a link.
  await requireNamed(layout.cwd, path);
  const found = await statIfThere(source);
  if (found?.isDirectory) return;
  const option = name === undefined ? "--input" : `--input ${name}=...`;
  throw new UsageError(`Not a directory: ${path} (${option})`, {
    hint: found?.isFile
      ? "Use a directory that contains only the files of this input"
      : "Choose a directory on this machine. Most shells do not expand ~ after the = sign.",
  });
}

async function channelsInLayout(
  layout: Paths,
  except: readonly string[],
): Promise<readonly Channel[]> {
  const channels: Channel[] = [];
  if (!await isDirectory(layout.inputData)) return channels;
  for (const { name, ...entry } of Deno.readDirSync(layout.inputData)) {
    if (name === "processing" || except.includes(name)) continue;
    const path = join(layout.inputData, name);
    if (entry.isDirectory) channels.push({ name, source: path });
    if (!entry.isSymlink || !(await statIfThere(path))?.isDirectory) continue;
    await requireInside(layout, [path], (_, target) => channelRemedy(name)(target));
    await requireNotWritten(layout, path);
    channels.push({ name, source: Deno.realPathSync(path) });
  }
  return channels;
}

/** Adds the path at which the container of a training has a channel. */
export function inContainer(channel: Channel): Channel & { readonly path: string } {
  return { ...channel, path: `${PATHS.inputData}/${channel.name}` };
}
