import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import {
  holdsFile,
  isPlaceholder,
  requireLayoutInside,
  requireTestDirectory,
} from "../../app/layout.ts";
import type { Paths } from "../../app/paths.ts";
import { absolutePath } from "../../app/typed_path.ts";
import type { Context } from "../../context.ts";
import { fileErrorReason, MlcliError } from "../../errors.ts";
import {
  cannotCreate,
  lstatIfThere,
  makeDirectory,
  moveTree,
  removeTreeIfThere,
  statIfThere,
} from "../../files.ts";
import { claim, isLeft, leftDirectories, OWNER } from "../../owner.ts";
import {
  isUnfinished,
  makeRunDirectory,
  modelOfRun,
  removeEmptyJobs,
  runDirectoryOf,
  runNames,
} from "../../model/runs.ts";
import { finishMove, makeLike, namesFrom, settleModel } from "../../model/versions.ts";
import { VERSION } from "../../version.ts";

/** Where a model is put: at each moment a complete model is there, or none. */
export interface Destination {
  /** The directory that the model will be in: absolute. */
  readonly path: string;
  /**
   * Makes a temporary directory to work in.
   *
   * @param work gets its path, and `put`, which moves a directory in it to the model's place.
   */
  with(work: (folder: string, put: Put) => Promise<void>): Promise<void>;
}

/** Puts a directory with a model in its place. @throws MlcliError where that cannot be done. */
export type Put = (model: string) => Promise<void>;

/** In the directory of a run: where its model is downloaded. */
const DOWNLOAD = "download";

export interface Download {
  /** The run's name: the job's, where that is known; another one where it is taken. */
  readonly name: string;
  readonly address: string;
}

/**
 * The app's `model/`. The current version moves into the directory of its run, as after a training run; a
 * running server keeps it.
 *
 * @throws MlcliError for a wrong layout.
 */
export async function modelOf(
  app: App,
  download: Download,
  host: Pick<Context, "messages" | "clock">,
): Promise<Destination> {
  const layout = app.paths;
  const check = () => requireLayoutInside(layout, "prediction");
  await check();
  await requireTestDirectory(layout);
  return {
    path: layout.model,
    async with(work) {
      await removeLeft(layout).catch(() => {});
      await finishMove(layout, host);
      const run = await makeRunDirectory(layout, namesFrom(download.name));
      const directory = runDirectoryOf(layout, run);
      try {
        claim(directory);
        const folder = join(directory, DOWNLOAD);
        await Deno.mkdir(folder);
        await work(folder, async (model) => {
          await makeLike(layout.model, model);
          await check();
          await moveTree(model, modelOfRun(layout, run));
          await writeRecord(layout, run, download, host.clock.date());
          await settleModel(layout, run, "succeeded", host).catch((error) => {
            throw notPutError(error);
          });
        });
      } catch (error) {
        // An incomplete download is of no use.
        await removeTreeIfThere(directory).catch(() => {});
        await removeEmptyJobs(layout);
        throw error;
      }
      for (const name of [DOWNLOAD, OWNER]) {
        await removeTreeIfThere(join(directory, name)).catch(() => {});
      }
    },
  };
}

/** The record that `local list-jobs` shows. */
async function writeRecord(
  layout: Paths,
  run: string,
  { address }: Download,
  time: Date,
): Promise<void> {
  const record = {
    name: run,
    kind: "train",
    app: layout.appName,
    mlcli: VERSION,
    started: time.toISOString(),
    ended: time.toISOString(),
    options: { address },
    outcome: { status: "Downloaded", exit_status: null, reason: null },
  };
  const path = join(runDirectoryOf(layout, run), "job.json");
  await Deno.writeTextFile(path, `${JSON.stringify(record, null, 2)}\n`);
}

function notPutError(error: unknown): unknown {
  if (!(error instanceof MlcliError)) return error;
  return new MlcliError(error.message, {
    hint: "The previous model is unchanged. Fix the cause, such as a full disk, then download " +
      "the model again.",
    cause: error.cause,
  });
}

/** Removes directories of killed downloads, unless their model is complete and being moved. */
async function removeLeft(layout: Paths): Promise<void> {
  for (const run of runNames(layout)) {
    const directory = runDirectoryOf(layout, run);
    const isDownload = (await lstatIfThere(join(directory, DOWNLOAD)))?.isDirectory ?? false;
    const isWhole = await lstatIfThere(join(directory, "job.json")) !== undefined;
    const isKilled = isDownload && !isWhole && await isUnfinished(layout, run);
    if (isKilled && await isLeft(directory)) await removeTreeIfThere(directory);
  }
}

/** How the name of a download's temporary directory begins; it is beside the model's place. */
const WORKPLACE = ".mlcli-download-";

/** In it: a complete model that is being moved to its place. */
const WHOLE = "whole";

/**
 * A directory that the user named with `--to`, which must be empty or not be there. What a killed download
 * left there is removed, or moved to its place if it was complete.
 *
 * @param shown its path as the user typed it.
 * @throws MlcliError
 */
export async function emptyDirectory(cwd: string, shown: string): Promise<Destination> {
  const path = absolutePath(cwd, shown).replace(/(?!^)[/\\]+$/, "");
  const info = await statIfThere(path);
  const isFinished = info?.isDirectory && await settleKilled(path);
  if (info !== undefined && !(info.isDirectory && await isEmpty(path))) {
    throw new MlcliError(
      info.isDirectory ? `Directory ${shown} is not empty` : `${shown} is not a directory`,
      {
        hint: isFinished
          ? "Use it: mlcli has just completed an interrupted download in it. For another, change --to."
          : "Set --to to an empty or new directory: mlcli does not overwrite files",
      },
    );
  }
  const isThere = info !== undefined;
  // On the same file system, so that it can be renamed.
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
        claim(folder);
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
 * Removes what killed downloads left in a directory, and finishes the move of a complete model.
 * @returns whether there was one.
 */
async function settleKilled(path: string): Promise<boolean> {
  let isFinished = false;
  for (const folder of await leftDirectories(path, WORKPLACE)) {
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

/** Entries that are there already stay as they are. */
async function moveEntries(from: string, to: string): Promise<void> {
  for (const { name } of await Array.fromAsync(Deno.readDir(from))) {
    const target = join(to, name);
    if (await lstatIfThere(target) === undefined) await Deno.rename(join(from, name), target);
  }
}

function cannotMove(whole: string, shown: string, cause: unknown): MlcliError {
  return new MlcliError(`Cannot move the download to ${shown}: ${fileErrorReason(cause)}`, {
    hint: `Fix the cause, then rerun the command to move the remaining files from ${whole}`,
    cause,
  });
}

export async function isModel(folder: string): Promise<boolean> {
  return await holdsFile({ directory: folder }, folder, folder);
}
