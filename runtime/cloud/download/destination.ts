import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import {
  holdsFile,
  isPlaceholder,
  type Layout,
  layoutOf,
  requireLayoutInside,
  requireTestDirectory,
} from "../../app/layout.ts";
import { jobName } from "../../contract/names.ts";
import { fileErrorReason, MlcliError } from "../../errors.ts";
import {
  cannotCreate,
  lstatIfThere,
  makeDirectory,
  moveTree,
  removeTreeIfThere,
  statIfThere,
} from "../../files.ts";
import { type IsUsed, modelFolderOf, openLikeModel, settleModel } from "../../model/folder.ts";
import { finishReplacements } from "../../model/replacements.ts";
import { claimRun, leftOverFolders, runFolderOf, staleRuns } from "../../model/runs.ts";

/** A place for a model. */
export interface Destination {
  /** The directory that the model will be in: absolute. */
  readonly path: string;
  /**
   * Makes a directory to work in, which is gone afterwards, whatever happens.
   *
   * @param work gets its path, and `put`, which puts a directory in it in the place of the model.
   */
  with(work: (folder: string, put: Put) => Promise<void>): Promise<void>;
}

/** Puts a directory with a model in its place. @throws MlcliError where that cannot be done. */
export type Put = (model: string) => Promise<void>;

/** The directory in a run's own that says that the run is a download. */
const DOWNLOAD = "download";

/**
 * The app's `model/`, by the same replacement as a training does it: a running server keeps its own.
 *
 * @param isUsed whether a server uses the directory that is replaced. If so, the next local command
 * removes it when none does any more.
 * @throws MlcliError where the layout is not as it must be.
 */
export async function modelOf(app: App, isUsed: IsUsed): Promise<Destination> {
  const layout = layoutOf(app);
  const check = () => requireLayoutInside(layout, "prediction");
  await check();
  await requireTestDirectory(layout);
  return {
    path: layout.model,
    async with(work) {
      await removeStale(layout).catch(() => {});
      await finishReplacements(layout);
      const run = jobName(layout.appName, "train");
      const folder = runFolderOf(layout, run);
      await Deno.mkdir(folder);
      try {
        await claimRun(folder);
        const download = join(folder, DOWNLOAD);
        await Deno.mkdir(download);
        await work(download, async (model) => {
          await openLikeModel(layout, model);
          await check();
          const own = modelFolderOf(layout, run);
          await moveTree(model, own);
          try {
            await settleModel(layout, own, "succeeded", isUsed);
          } catch (error) {
            // It can be downloaded again, and nobody would know what this is.
            await removeTreeIfThere(own).catch(() => {});
            throw notPut(error);
          }
        });
      } finally {
        await removeTreeIfThere(folder).catch(() => {});
      }
    },
  };
}

function notPut(error: unknown): unknown {
  if (!(error instanceof MlcliError)) return error;
  return new MlcliError(error.message, {
    hint: "The model that was there stays. Once nothing stands in the way (a full disk has room " +
      "again), download it once more.",
    cause: error.cause,
  });
}

/** Removes what downloads left that were killed. */
async function removeStale(layout: Layout): Promise<void> {
  for (const run of await staleRuns(layout)) {
    const folder = runFolderOf(layout, run);
    if (!(await lstatIfThere(join(folder, DOWNLOAD)))?.isDirectory) continue;
    await removeTreeIfThere(folder).catch(() => {});
  }
}

/** Begins the name of the directory in which a download works; it lies where the model will. */
const WORKPLACE = ".mlcli-download-";

/** In it, a model that is whole and on its way to its place. */
const WHOLE = "whole";

/**
 * A directory that the user named: it must be empty, or not be there. What a killed download left there
 * is gone afterwards; where that had begun to put its model in place, it is put there.
 *
 * @param shown its path as the user typed it.
 * @throws MlcliError
 */
export async function emptyDirectory(path: string, shown: string): Promise<Destination> {
  const info = await statIfThere(path);
  const isFinished = info?.isDirectory && await settleKilled(path);
  if (info !== undefined && !(info.isDirectory && await isEmpty(path))) {
    throw new MlcliError(
      info.isDirectory ? `The directory is not empty: ${shown}` : `Not a directory: ${shown}`,
      {
        hint: isFinished
          ? "A download was killed here when it had its whole model, which has been put in place now."
          : "Name one that is empty or not there yet: mlcli overwrites nothing in it.",
      },
    );
  }
  const isThere = info !== undefined;
  // On the same file system, so that what is whole can be moved at once.
  const place = isThere ? path : dirname(path);
  const folder = join(place, WORKPLACE + crypto.randomUUID().slice(0, 8));
  return {
    path,
    async with(work) {
      await makeDirectory(place, shown);
      if (!isThere) await settleKilled(place);
      await Deno.mkdir(folder).catch((cause) => {
        throw cannotCreate(shown, cause);
      });
      let isHalfThere = false;
      try {
        await claimRun(folder);
        await work(folder, async (model) => {
          if (!isThere) return await moveTree(model, path);
          const whole = join(folder, WHOLE);
          await Deno.rename(model, whole);
          isHalfThere = true;
          await moveEntries(whole, path).catch((cause) => {
            throw cannotMove(whole, shown, cause);
          });
          isHalfThere = false;
        });
      } finally {
        if (!isHalfThere) await removeTreeIfThere(folder).catch(() => {});
      }
    },
  };
}

/**
 * Removes what killed downloads left in a directory.
 * @returns whether one of them had its whole model, and had begun to put it there: it is there now.
 */
async function settleKilled(path: string): Promise<boolean> {
  let isFinished = false;
  for (const folder of await leftOverFolders(path, WORKPLACE)) {
    const whole = join(folder, WHOLE);
    if ((await lstatIfThere(whole))?.isDirectory) {
      await moveEntries(whole, path);
      isFinished = true;
    }
    await removeTreeIfThere(folder).catch(() => {});
  }
  return isFinished;
}

async function isEmpty(path: string): Promise<boolean> {
  const entries = await Array.fromAsync(Deno.readDir(path));
  return entries.every(({ name, isFile }) => isFile && isPlaceholder(name));
}

/** What is there already stays as it is. */
async function moveEntries(from: string, to: string): Promise<void> {
  for (const { name } of await Array.fromAsync(Deno.readDir(from))) {
    const target = join(to, name);
    if (await lstatIfThere(target) === undefined) await Deno.rename(join(from, name), target);
  }
}

function cannotMove(whole: string, shown: string, cause: unknown): MlcliError {
  return new MlcliError(`The model cannot be moved to ${shown}: ${fileErrorReason(cause)}`, {
    hint: `What of it is not there yet is in ${whole}. The same command again moves the rest.`,
    cause,
  });
}

/** Whether an unpacked model holds a file. */
export async function isModel(folder: string): Promise<boolean> {
  return await holdsFile({ directory: folder }, folder, folder);
}
