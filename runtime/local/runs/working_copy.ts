/**
 * The copies of the app's code and input in the directory of a run, which its code may write to, as it
 * may on SageMaker.
 */

import { join } from "@std/path/join";
import { requireInside } from "../../app/confinement.ts";
import { followedInCode } from "../../app/left_out.ts";
import type { Confined } from "../../app/confinement.ts";
import { isPlaceholder } from "../../app/layout.ts";
import type { Paths } from "../../app/paths.ts";
import { brokenLink, followLink } from "../../app/links.ts";
import { typedPath } from "../../app/typed_path.ts";
import type { Channel } from "../../contract/channels.ts";
import { MlcliError } from "../../errors.ts";
import { copyTree, makeDirectory, statIfThere } from "../../files.ts";
import type { Messages } from "../../messages.ts";
import type { MountedCode } from "../code.ts";
import type { InputMount } from "../plan.ts";
import type { Linked } from "./linked.ts";
import { type Tree, treeIn } from "../watch/tree.ts";

/** The most that is copied of the code, in bytes. (Of files: `MOST_FILES` of `watch/tree.ts`.) */
const MOST_CODE = 256 * 1024 ** 2;

/** Copied code; `isWritable` marks it. */
export type RunCode = MountedCode & { readonly isWritable: boolean };

/**
 * Copies the code, with link targets, and without `__pycache__` and unreadable files. Code that is too large
 * is mounted read-only, with a note.
 *
 * @throws MlcliError for a broken link.
 */
export async function copyCode(
  confined: Confined,
  runDirectory: string,
  { codeFolder, commonFolder }: MountedCode,
  messages: Pick<Messages, "note">,
): Promise<RunCode> {
  const folders = [codeFolder, commonFolder].filter((folder) => folder !== undefined);
  const trees = await Promise.all(
    folders.map((folder) => codeTree(folder, confined)),
  );
  const sizes = trees.flatMap((tree) => [...tree?.sizes.values() ?? []]);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MOST_CODE || trees.includes(undefined)) {
    const paths = folders.map((folder) => `${typedPath(confined, folder)}/`).join(" and ");
    messages.note(`Mounted ${paths} read-only: too large to copy`);
    return { codeFolder, commonFolder, isWritable: false };
  }
  const copies: (string | undefined)[] = [];
  for (const [name, folder] of [["code", codeFolder], ["common", commonFolder]] as const) {
    const tree = folder === undefined ? undefined : trees[folders.indexOf(folder)];
    const copy = folder === undefined ? undefined : join(runDirectory, name);
    if (copy !== undefined) await copyFiles(folder!, tree!, copy);
    copies.push(copy);
  }
  return { codeFolder: copies[0], commonFolder: copies[1], isWritable: true };
}

/**
 * Looks through a directory of code; `undefined` if it holds too many files.
 *
 * @throws MlcliError for a broken link.
 */
export async function codeTree(
  folder: string,
  confined: Confined,
): Promise<Tree | undefined> {
  const follows = await followedInCode(confined.directory, folder);
  const tree = await treeIn(folder, "times", confined.boundary, undefined, follows);
  const [link] = tree?.broken ?? [];
  if (link !== undefined) {
    throw brokenLink(typedPath(confined, join(folder, link.path)), { words: link.words! });
  }
  return tree;
}

async function copyFiles(from: string, { files, folders }: Tree, to: string): Promise<void> {
  for (const folder of folders) {
    await makeDirectory(join(to, folder));
    openLike(join(from, folder), join(to, folder), 0o777);
  }
  for (const file of files.keys()) {
    const [source, target] = [join(from, file), join(to, file)];
    try {
      if (files.get(file)!.startsWith("link ")) {
        await Deno.symlink(await Deno.readLink(source), target);
        continue;
      }
      await Deno.copyFile(source, target);
      openLike(source, target, 0o666);
    } catch (error) {
      // It is closed to the caller, or was taken away meanwhile.
      const isUnreadable = error instanceof Deno.errors.PermissionDenied ||
        error instanceof Deno.errors.NotFound;
      if (!isUnreadable) throw error;
    }
  }
}

/** Lets the image's user change the copy of what others may read; what is closed to them stays so. */
function openLike(source: string, target: string, open: number): void {
  const { mode } = Deno.statSync(source);
  if (mode === null) return; // Windows
  Deno.chmodSync(target, (mode & 0o004 ? open : open & 0o700) | mode & 0o777);
}

/** How many of what is no channel are mounted. */
export const MOST_OTHERS = 100;

/** What a run's `input/` gets. */
export interface RunInput {
  readonly mounts: readonly InputMount[];
  /** How many entries are not there, since there are too many. */
  readonly left: number;
}

/**
 * Makes a run's `input/`, in which there is a place for each mount: the channels, and what else lies in
 * the layout's.
 *
 * @param copies whether the channels are copied, and not mounted.
 * @param isStrict whether there is nothing but the channels.
 */
export async function makeInput(
  layout: Paths,
  input: string,
  channels: readonly Pick<Linked, "name" | "source" | "mounts">[],
  { copies, isStrict }: { readonly copies: boolean; readonly isStrict: boolean },
): Promise<RunInput> {
  await makeDirectory(join(input, "data"));
  const mounts: InputMount[] = [];
  for (const channel of channels) {
    const path = `data/${channel.name}`;
    if (copies) await copyTree(channel.source, join(input, path));
    else {
      await makeDirectory(join(input, path));
      mounts.push(...channelMounts(channel));
    }
  }
  const others = isStrict ? [] : othersIn(layout, channels);
  const mounted = others.slice(0, MOST_OTHERS);
  await makePlaces(input, mounted);
  mounts.push(...mounted);
  return { mounts, left: Math.max(0, others.length - MOST_OTHERS) };
}

/** The mounts of a channel, by their paths in the run's `input/`. */
export function channelMounts(
  { name, source, mounts }: Pick<Linked, "name" | "source" | "mounts">,
): readonly InputMount[] {
  const path = `data/${name}`;
  return [{ path, source }, ...mounts.map((one) => ({ ...one, path: `${path}/${one.path}` }))];
}

/** What lies beside the channels. */
export function othersIn(
  layout: Paths,
  channels: readonly Pick<Channel, "name">[],
): readonly InputMount[] {
  return mountable([
    ...entriesOf(layout.input, "", ["config", "data"]),
    ...entriesOf(layout.inputData, "data/", channels.map(({ name }) => name)),
  ], layout);
}

/**
 * Makes a place for each mount in a directory that is mounted itself.
 *
 * @param entries with links followed.
 */
export async function makePlaces(folder: string, entries: readonly InputMount[]): Promise<void> {
  for (const { path, source } of entries) {
    const target = join(folder, path);
    if (Deno.lstatSync(source).isDirectory) await makeDirectory(target);
    else Deno.writeTextFileSync(target, "");
  }
}

/** What is right in a directory, but for placeholders. */
export function entriesOf(
  directory: string,
  before = "",
  except: readonly string[] = [],
): readonly InputMount[] {
  const names = Array.from(Deno.readDirSync(directory), ({ name }) => name);
  return names.filter((name) => !except.includes(name) && !isPlaceholder(name)).sort()
    .map((name) => ({ path: before + name, source: join(directory, name) }));
}

/** The entries that can be mounted: files and directories, links followed. */
export function mountable(
  entries: readonly InputMount[],
  { boundary }: Pick<Paths, "boundary">,
): readonly InputMount[] {
  return entries.flatMap(({ path, source }) => {
    const { isFile, isDirectory, isSymlink } = Deno.lstatSync(source);
    if (isFile || isDirectory) return [{ path, source }];
    const { target } = isSymlink ? followLink(source, boundary) : { target: undefined };
    return target === undefined ? [] : [{ path, source: target }];
  });
}

/**
 * Copies the user's own files of `input/config` into the run's. Links are followed
 * inside the app's repository. Links that lead nowhere, and things that are not files (reading a
 * pipe would wait), are not copied.
 *
 * @param except names of files that are not copied, since mlcli writes them.
 * @throws MlcliError when a link leads out of the repository, or in a circle.
 */
export async function copyConfiguration(
  layout: Paths,
  to: string,
  except: readonly string[],
): Promise<void> {
  // A directory is copied once: with links that lead upwards there would be no end.
  const copied = new Set<string>();
  async function copyFolder(from: string, to: string, except: readonly string[]): Promise<void> {
    const real = await Deno.realPath(from);
    if (copied.has(real)) throw leadsBack(layout, from);
    copied.add(real);
    for await (const entry of Deno.readDir(from)) {
      if (except.includes(entry.name)) continue;
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      const info = await statIfThere(source);
      if (info === undefined) continue;
      if (entry.isSymlink) await requireInside(layout, [source]);
      if (info.isDirectory) {
        await Deno.mkdir(target);
        await copyFolder(source, target, []);
      } else if (info.isFile) {
        await Deno.copyFile(source, target);
      }
    }
  }
  await copyFolder(layout.configInput, to, except);
}

function leadsBack(layout: Paths, path: string): MlcliError {
  const shown = typedPath(layout, path);
  return new MlcliError(`Cannot copy ${shown}: it points to a directory that was already copied`, {
    hint: "Remove the link: each directory of input/config is copied into the container once",
  });
}
