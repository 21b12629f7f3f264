/**
 * The model directory of a training: empty when it starts, as on SageMaker, and in the place of the
 * layout's `model` after it succeeded. All of them lie beside that, on the same file system and
 * where every engine sees them:
 *
 * - `.model-RUN`: what the run with that name writes.
 * - `.model-RUN.old`: what that run replaced. It goes when no server uses it. Where `.model-RUN` is
 *   beside it and `model` is not there, the replacement is half done. (`.model-RUN-2.old`, ...: where
 *   another run of the app put its model in place at the same moment.)
 * - `model.failed`: what the last failed run wrote.
 * - `model.previous`: what a run that wrote nothing replaced.
 *
 * @module
 */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import { holdsFile, type Layout } from "../app/layout.ts";
import { typedPath } from "../app/typed_path.ts";
import type { Difference } from "../contract/differences.ts";
import { fileErrorReason, MlcliError, systemCode } from "../errors.ts";
import {
  lstatIfThere,
  moveTree,
  realPathOf,
  removeIfThere,
  removeTreeIfThere,
  statIfThere,
} from "../files.ts";
import { finishContents, moveContents, putAway, removePart } from "./contents.ts";
import { isAnyAlive } from "./runs.ts";

/** How a run ended, as far as its model is concerned. */
export type Ending =
  | "succeeded"
  /** By SIGTERM, within the grace: SageMaker uploads what a stopped training wrote, too. */
  | "stopped"
  | "failed";

/** What the user has to know of where a model is now. */
export interface Settled {
  /** What would be missing on the platform. */
  readonly difference?: Difference;
  /** Where something was put. */
  readonly note?: string;
  /** The real paths of the run's model before and now, if there is one. */
  readonly moved?: readonly [from: string, to: string];
}

/** Whether a server uses the directory with this id. */
export type IsUsed = (id: string) => Promise<boolean>;

/** Begins the name of a run's model directory, before the container's name. */
export const MODEL_PREFIX = ".model-";

/** Ends the name of the directory that a run's model replaced. */
export const OLD = ".old";

/** The model directory of a run. */
export function modelFolderOf({ testDirectory }: Layout, run: string): string {
  return join(testDirectory, MODEL_PREFIX + run);
}

/** Where the model of the last failed run lies. */
export function failedModelOf({ testDirectory }: Layout): string {
  return join(testDirectory, "model.failed");
}

/** Where the earlier model lies after a run that wrote none. */
function previousModelOf({ testDirectory }: Layout): string {
  return join(testDirectory, "model.previous");
}

/** Device and inode of a directory: it keeps them when it is renamed. Empty where none is there. */
export async function idOf(path: string): Promise<string> {
  const info = await lstatIfThere(path);
  return info === undefined ? "" : `${info.dev}:${info.ino}`;
}

/**
 * Opens a run's model directory to whom the layout's `model` is open: an image's own user, mostly.
 */
export async function openLikeModel({ model }: Layout, folder: string): Promise<void> {
  const like = await statIfThere(model);
  if (!like?.isDirectory || like.mode === null || Deno.build.os === "windows") return;
  // Only root gives directories to others.
  if (like.uid !== null && like.gid !== null) {
    await Deno.chown(folder, like.uid, like.gid).catch(() => {});
  }
  await Deno.chmod(folder, like.mode & 0o7777).catch(() => {});
}

/**
 * Puts the model of a run where its end says, so that `model` holds a whole model at each moment.
 *
 * @param folder the run's model directory.
 * @param isUsed asked about the directory that is replaced.
 * @param isStrict whether it is a failure to write no model, so that the earlier one stays.
 * @throws MlcliError when a directory cannot be renamed: the model stays where it is then. When the
 * run's is not there any more: it is not known then what was written.
 */
export async function settleModel(
  layout: Layout,
  folder: string,
  ending: Ending,
  isUsed: IsUsed,
  isStrict = false,
): Promise<Settled> {
  const show = (path: string) => typedPath(layout.directory, path);
  if (ending !== "failed" && !await lstatIfThere(folder)) {
    throw new MlcliError(`The directory with the model of this run is gone: ${show(folder)}`, {
      hint:
        "Was the app moved, renamed or removed meanwhile? The next local command says where that " +
        "directory is now, if it is run where the app is.",
    });
  }
  const isWritten = await holdsFile(layout, folder, folder).catch(() => true);
  const from = await realPathOf(folder);
  try {
    if (ending !== "succeeded" && !isWritten) await removeTreeIfThere(folder);
    else if (ending === "failed") {
      const note = await putAside(layout, folder);
      return { note, moved: [from, await realPathOf(failedModelOf(layout))] };
    } else if (isWritten) {
      await replaceModel(layout, folder, isUsed);
      const note = ending === "stopped"
        ? `${show(layout.model)} is what this run had written when it was stopped`
        : undefined;
      return { note, moved: [from, await realPathOf(layout.model)] };
    } else return { difference: await replaceByNothing(layout, folder, isStrict) };
    return {};
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw new MlcliError(
      `The model cannot be moved from ${show(folder)} to ${show(layout.model)}: ` +
        fileErrorReason(error),
      {
        hint:
          "It is whole, and stays where it is. Once nothing stands in the way (a full disk has " +
          "room again), the next local command says how to put it there.",
        cause: error,
      },
    );
  }
}

/** Keeps the model of a failed run, in the place of that of an earlier failed one. */
async function putAside(layout: Layout, folder: string): Promise<string> {
  const failed = failedModelOf(layout);
  await removeTreeIfThere(failed);
  await moveTree(folder, failed);
  const [there, model] = [failed, layout.model].map((path) => typedPath(layout.directory, path));
  return `The model of this run is in ${there}; ${model} is as it was`;
}

/** The run wrote no model: `model` is empty, as the artifact would be; the earlier one is kept. */
async function replaceByNothing(
  layout: Layout,
  folder: string,
  isStrict: boolean,
): Promise<Difference> {
  const hadModel = await holdsFile(layout, layout.model, layout.model).catch(() => true);
  const previous = previousModelOf(layout);
  const message = "The training wrote no file to /opt/ml/model";
  if (!hadModel || isStrict) {
    await removeTreeIfThere(folder);
    return { message, hint: "Write the model to the path that train() gets second." };
  }
  await removeTreeIfThere(previous);
  await carryPlaceholders(layout.model, folder);
  await swap(layout, folder, {
    renamed: previous,
    moved: previous,
    clear: () => removeTreeIfThere(previous),
  });
  await bringPlaceholders(previous, layout.model);
  return {
    message,
    hint: `The earlier model is in ${typedPath(layout.directory, previous)} now. On the ` +
      "platform, the artifact of this training would be empty.",
  };
}

/** The run's model takes the place of the earlier one, which goes unless a server uses it. */
async function replaceModel(layout: Layout, folder: string, isUsed: IsUsed): Promise<void> {
  const old = folder + OLD;
  await carryPlaceholders(layout.model, folder);
  let number = 1;
  await swap(layout, folder, {
    renamed: old,
    // A server that uses it has the directory, whose contents are new now.
    moved: undefined,
    async clear() {
      await removeUnused(old, isUsed);
      if (await lstatIfThere(old)) await Deno.rename(old, `${folder}-${++number}${OLD}`);
    },
  });
  await bringPlaceholders(old, layout.model);
  await removeUnused(old, isUsed);
}

/** Removes a directory that a run replaced. What cannot be removed now goes with the next run's. */
export async function removeUnused(old: string, isUsed: IsUsed): Promise<void> {
  const id = await idOf(old);
  if (id === "" || await isUsed(id).catch(() => true)) return;
  await removeTreeIfThere(old).catch(() => {});
}

/** Files that keep `model` in version control. */
const PLACEHOLDERS: readonly string[] = [".gitkeep", ".gitignore"];

/**
 * Copies them into the directory that becomes `model`. Where there is no room they follow it
 * (`bringPlaceholders`): no model stays out of its place for them.
 */
async function carryPlaceholders(from: string, to: string): Promise<void> {
  for (const name of PLACEHOLDERS) {
    const [source, target] = [join(from, name), join(to, name)];
    const info = await lstatIfThere(source);
    if (!info?.isFile || await lstatIfThere(target)) continue;
    try {
      await Deno.copyFile(source, target);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      await removeIfThere(target);
    }
  }
}

/** Takes those that could not be copied along from where they are now: a rename needs no room. */
async function bringPlaceholders(old: string, model: string): Promise<void> {
  for (const name of PLACEHOLDERS) {
    const [source, target] = [join(old, name), join(model, name)];
    const isMissing = (await lstatIfThere(source))?.isFile && !await lstatIfThere(target);
    if (isMissing) await Deno.rename(source, target).catch(() => {});
  }
}

/** How often another run that replaces the same model may be faster. */
const ATTEMPTS = 5;

/** What becomes of the earlier model. */
interface Earlier {
  /** Its directory's name, where that can be renamed. */
  readonly renamed: string;
  /** Where its contents go, where those have to be moved; `undefined`: they go away. */
  readonly moved: string | undefined;
  /** Makes room for `renamed` once more, where another run was faster. */
  readonly clear: () => Promise<void>;
}

/** `model` becomes the earlier one, and `folder` becomes `model`: two renames, one after the other. */
async function swap(layout: Layout, folder: string, earlier: Earlier): Promise<void> {
  const { renamed: old, clear } = earlier;
  // A link in the place of `model` stays, and what it leads to is filled.
  const isLink = await realPathOf(layout.model) !==
    join(await realPathOf(layout.testDirectory), basename(layout.model));
  if (isLink) return await move(layout, folder, earlier);
  for (let attempt = 1;; attempt++) {
    try {
      if (await lstatIfThere(layout.model)) await Deno.rename(layout.model, old);
      return await Deno.rename(folder, layout.model);
    } catch (error) {
      // A mount point cannot be renamed.
      if (["EBUSY", "EXDEV"].includes(systemCode(error) ?? "")) {
        return await move(layout, folder, earlier);
      }
      const isRace = ["ENOENT", "EEXIST", "ENOTEMPTY"].includes(systemCode(error) ?? "");
      if (!isRace || attempt === ATTEMPTS) throw error;
      // Another command took this for a run that was killed, and has finished it.
      if (!await lstatIfThere(folder)) return;
      await clear();
    }
  }
}

/** The contents of `folder` become those of `model`. */
async function move(layout: Layout, folder: string, { moved }: Earlier): Promise<void> {
  await moveContents(layout.model, folder);
  try {
    await putAway(layout.model, moved);
  } catch (cause) {
    if (systemCode(cause) === undefined || moved === undefined) throw cause;
    const path = typedPath(layout.directory, moved);
    throw new MlcliError(
      `The earlier model cannot be moved to ${path}: ${fileErrorReason(cause)}`,
      {
        hint: `It stays in ${typedPath(layout.directory, layout.model)}; when there is room, the ` +
          "next local command moves it.",
        cause,
      },
    );
  }
}

/** Finishes what a run that was killed began to put in place. */
export async function finishSwap(layout: Layout, run: string): Promise<void> {
  const folder = modelFolderOf(layout, run);
  for (const path of [folder, folder + OLD]) {
    if (!(await lstatIfThere(path))?.isDirectory) return;
  }
  // Where something was put into its place meanwhile, that stays; an empty directory is replaced.
  if (!await holdsFile(layout, layout.model, layout.model)) {
    await carryPlaceholders(folder + OLD, folder);
    await removeTreeIfThere(layout.model);
    await Deno.rename(folder, layout.model);
    await bringPlaceholders(folder + OLD, layout.model);
  }
}

/** The same for a `model` whose contents were being moved. */
export async function finishMove(layout: Layout): Promise<void> {
  if (!await lstatIfThere(layout.model)) return;
  if (!await isAnyAlive(layout)) await removePart(layout.model);
  await finishContents(layout.model);
  // The model is whole: where there is no room for the earlier one, another command tries again.
  await putAway(layout.model, previousModelOf(layout)).catch((error) => {
    if (systemCode(error) === undefined) throw error;
  });
}
