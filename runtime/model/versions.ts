/**
 * Versions of an app's model. The current version is the layout's `model`, a real directory. Each other
 * version is in the directory of its run (`jobs/NAME/model`), or in `jobs/kept-TIME/model` if the user put it
 * into `model`.
 *
 * `jobs/.current.json` names the run of the current model, and the run whose model is about to replace it: if
 * a command is killed between the two renames, the next command finishes them.
 */

import { join } from "@std/path/join";
import { holdsFile } from "../app/layout.ts";
import type { Paths } from "../app/paths.ts";
import { typedPath } from "../app/typed_path.ts";
import { fileErrorReason, isSystemError, messageOf, MlcliError, systemCode } from "../errors.ts";
import {
  idOf,
  LARGEST_TEXT,
  lstatIfThere,
  makeDirectory,
  readTextFile,
  realPathOf,
  removeIfThere,
  removeTreeIfThere,
  statIfThere,
} from "../files.ts";
import { isObject, parseJson } from "../text.ts";
import { type Message, warning } from "../messages.ts";
import { finishContents, holdsReplaced, isComing, moveContents, putAway } from "./contents.ts";
import { type LockHost, movingModel } from "./lock.ts";
import { giveToOwner, isRunName, makeRunDirectory, modelOfRun } from "./runs.ts";

/** How a run ended, as far as its model is concerned. */
export type Ending =
  | "succeeded"
  /** By SIGTERM, within the grace period: SageMaker also uploads the model of a stopped training job. */
  | "stopped"
  | "failed";

/** Messages and paths after mlcli has moved a model. */
export interface Settled {
  /** Warning about files that would be missing on SageMaker. */
  readonly difference?: Message;
  /** Message about the destination of a model. */
  readonly note?: string;
  /** Real paths of the files that the run wrote, before and after a move. */
  readonly moved?: readonly (readonly [from: string, to: string])[];
}

/** Versions of the model, as far as recorded. */
interface Current {
  /** Run of the current model; empty: the user put the model there, or its run is unknown. */
  readonly of: string;
  /** Device and inode of its directory; another directory is a person's. Empty: not known. */
  readonly id: string;
  /** The run whose model is to take its place; empty: none. */
  readonly next: string;
  /** Device and inode of that. */
  readonly nextId: string;
}

const NOTHING: Current = { of: "", id: "", next: "", nextId: "" };

/** The run whose model is the current one; `undefined` where a person put it there, or none is. */
export async function currentRun(layout: Paths): Promise<string | undefined> {
  return await runOf(layout, await readCurrent(layout)) || undefined;
}

/**
 * Makes a directory of a run that is open to whom that of the layout is: an image's own user, mostly.
 *
 * @param path the layout's.
 */
export async function makeLike(path: string, directory: string): Promise<void> {
  await makeDirectory(directory);
  const like = await statIfThere(path);
  if (!like?.isDirectory || like.mode === null || Deno.build.os === "windows") return;
  // Only root gives directories to others.
  if (like.uid !== null && like.gid !== null) {
    await Deno.chown(directory, like.uid, like.gid).catch(() => {});
  }
  await Deno.chmod(directory, like.mode & 0o7777).catch(() => {});
}

/**
 * Puts the model of a run where its end says, so that `model` holds a whole model at each moment.
 *
 * @param isStrict whether it is a failure to write no model, so that the earlier one stays.
 * @throws MlcliError when it cannot be moved: it stays in the run's directory then. When it is not there
 * any more: it is not known then what was written.
 */
export async function settleModel(
  layout: Paths,
  run: string,
  ending: Ending,
  host: LockHost,
  isStrict = false,
): Promise<Settled> {
  const show = (path: string) => typedPath(layout, path);
  const made = modelOfRun(layout, run);
  if (ending !== "failed" && !(await lstatIfThere(made))?.isDirectory) {
    throw new MlcliError(`The model directory of this run no longer exists: ${show(made)}`, {
      hint: "If you moved or renamed the app during the run, run mlcli local deploy in its new " +
        "directory: the command prints where the model is",
    });
  }
  const isWritten = await hasFile(layout, made);
  if (ending === "failed" && isWritten) {
    return {
      note: `The model of this run is in ${show(made)}; ${show(layout.model)} is unchanged`,
    };
  }
  const hasNoWord = !isWritten && (ending !== "succeeded" || isStrict);
  if (hasNoWord) await removeTreeIfThere(made);
  if (ending !== "succeeded" && !isWritten) return {};
  if (hasNoWord) return { difference: NO_FILE };
  const from = await realPathOf(made);
  const earlier = await movingModel(layout, host, () => putInPlace(layout, run));
  if (!isWritten) return { difference: { ...NO_FILE, ...whereEarlier(layout, earlier) } };
  const note = ending === "stopped"
    ? `${show(layout.model)} contains what this run wrote before it was stopped`
    : undefined;
  return { note, moved: [[from, await realPathOf(layout.model)]] };
}

const NO_FILE = warning(
  "The training run wrote no file to /opt/ml/model",
  "Write the model to /opt/ml/model (the second argument of train(), or SM_MODEL_DIR)",
);

const FINISH_MOVE = "Fix the cause (for example, free disk space), then run any local mlcli " +
  "command: it finishes the move";

function whereEarlier(layout: Paths, run: string | undefined): { readonly hint?: string } {
  if (run === undefined) return {};
  const path = typedPath(layout, modelOfRun(layout, run));
  return {
    hint: "On SageMaker, the model artifact would be empty. The earlier model is now in " +
      `${path}. Serve it: mlcli local deploy --run ${run}`,
  };
}

/**
 * Puts a run's model in the place of the current one, which moves into the directory of its own run.
 * Only who moves the model alone may call this.
 *
 * @returns the run that has the earlier model now; `undefined` where there was none.
 */
async function putInPlace(layout: Paths, run: string): Promise<string | undefined> {
  try {
    if ((await readCurrent(layout)).next === run) return await finish(layout);
    // What stood in the way of another run's model may do so again: that stays with its run.
    await finish(layout).catch(ifRefused(() => {}));
    const current = await readCurrent(layout);
    const next = {
      of: await runOf(layout, current),
      id: await idOf(layout.model),
      next: run,
      nextId: await idOf(modelOfRun(layout, run)),
    };
    await writeCurrent(layout, next);
    return await move(layout, next);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    const [from, to] = [modelOfRun(layout, run), layout.model].map((path) =>
      typedPath(layout, path)
    );
    throw new MlcliError(
      `Cannot move the model from ${from} to ${to}: ${fileErrorReason(error)}`,
      {
        hint: `${FINISH_MOVE}. Until then, serve the model: mlcli local deploy --run ${run}`,
        cause: error,
      },
    );
  }
}

/**
 * Finishes the move of a killed command, so that `model` is a complete model. Prints a warning if that is
 * impossible.
 */
export async function finishMove(layout: Paths, host: LockHost): Promise<void> {
  const { next } = await readCurrent(layout);
  const isCutOff = next !== "" || await holdsReplaced(layout.model);
  if (!isCutOff) return;
  const say = (error: Error): void => {
    if (next === "") return; // The current model is whole: another command tries again.
    host.messages.warning(
      `Cannot move the model of run ${next} into model/: ${messageOf(error)}`,
      `Serve it from the run: mlcli local deploy --run ${next}`,
    );
  };
  await movingModel(layout, host, () => finish(layout)).catch(ifRefused(say));
}

/** Returns a handler that calls `say` if the system refuses to move a model, and rethrows other errors. */
function ifRefused(say: (error: Error) => void): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof MlcliError || isSystemError(error))) throw error;
    say(error as Error);
  };
}

/** @returns the run that has the earlier model now, where that was moved. */
async function finish(layout: Paths): Promise<string | undefined> {
  const current = await readCurrent(layout);
  const { model } = layout;
  const isHalfThere = await isComing(model);
  if (isHalfThere) {
    // All of it is there: what is left of where it came from may be a part.
    if (current.next !== "") await removeTreeIfThere(modelOfRun(layout, current.next));
    await finishContents(model);
  }
  if (await holdsReplaced(model)) await putAwayEarlier(layout, current);
  if (current.next === "") return undefined;
  const isToMove = (await lstatIfThere(modelOfRun(layout, current.next)))?.isDirectory ?? false;
  if (isToMove) return await move(layout, current);
  const id = await idOf(model);
  const isThere = isHalfThere || id === current.nextId;
  await writeCurrent(layout, {
    ...NOTHING,
    ...isThere ? { of: current.next, id } : current,
    next: "",
  });
}

/** The two renames. */
async function move(layout: Paths, current: Current): Promise<string | undefined> {
  const { model } = layout;
  const made = modelOfRun(layout, current.next);
  const hadModel = await hasFile(layout, model);
  await carryPlaceholders(model, made);
  let earlier = hadModel ? await earlierOf(layout, current) : undefined;
  const old = earlier === undefined ? join(layout.jobs, ".empty") : modelOfRun(layout, earlier);
  try {
    if (!hadModel) await removeTreeIfThere(old);
    if (await lstatIfThere(model)) await Deno.rename(model, old);
    try {
      await Deno.rename(made, model);
    } catch (error) {
      await Deno.rename(old, model).catch(() => {});
      throw error;
    }
    await bringPlaceholders(old, model);
    if (!hadModel) await removeTreeIfThere(old).catch(() => {});
  } catch (error) {
    if (earlier !== undefined) await removeEmpty(layout, earlier);
    // A mount point cannot be renamed, and nothing can be renamed onto another disk.
    if (!["EBUSY", "EXDEV"].includes(systemCode(error) ?? "")) throw error;
    await putAwayEarlier(layout, current);
    await moveContents(model, made);
    earlier = await putAwayEarlier(layout, current, hadModel);
  }
  await writeCurrent(layout, { ...NOTHING, of: current.next, id: await idOf(model) });
  return earlier;
}

/** Where a model's contents were moved: takes the earlier ones out of there. */
async function putAwayEarlier(
  layout: Paths,
  current: Current,
  isModel = true,
): Promise<string | undefined> {
  const { model } = layout;
  if (!await holdsReplaced(model)) return undefined;
  if (!isModel) return void await putAway(model, undefined);
  let earlier: string | undefined;
  try {
    earlier = await earlierOf(layout, current);
    await putAway(model, modelOfRun(layout, earlier));
    return earlier;
  } catch (cause) {
    if (earlier !== undefined) await removeEmpty(layout, earlier);
    if (systemCode(cause) === undefined) throw cause;
    throw new MlcliError(
      `Cannot move the earlier model out of ${typedPath(layout, model)}: ` +
        fileErrorReason(cause),
      { hint: FINISH_MOVE, cause },
    );
  }
}

/** Removes the directory that was made for a model that did not come. */
async function removeEmpty({ jobs }: Paths, run: string): Promise<void> {
  await Deno.remove(join(jobs, run)).catch(() => {});
}

/** The run in whose directory the current model belongs; a new one where a person put it there. */
async function earlierOf(layout: Paths, current: Current): Promise<string> {
  const run = await runOf(layout, current);
  if (run !== "" && await lstatIfThere(modelOfRun(layout, run)) === undefined) {
    await Deno.mkdir(join(layout.jobs, run), { mode: 0o700, recursive: true });
    await giveToOwner(join(layout.jobs, run));
    return run;
  }
  const time = new Date().toISOString().slice(0, 19).replace(/\D/g, "-");
  return await makeRunDirectory(layout, namesFrom(`kept-${time}`));
}

/** A name, and others for where it is taken. */
export function* namesFrom(name: string): Generator<string, void, void> {
  yield name;
  for (let number = 2; number < 10_000; number++) yield `${name}-${number}`;
}

/** The run whose model the current one is; empty where it is no run's. */
async function runOf({ model }: Paths, { of, id }: Current): Promise<string> {
  return id === await idOf(model) ? of : "";
}

/** Returns whether a model's directory contains a file; true if it cannot be read. */
export async function hasFile(layout: Paths, directory: string): Promise<boolean> {
  return await holdsFile(layout, directory, directory).catch(() => true);
}

async function readCurrent({ jobs }: Paths): Promise<Current> {
  const path = join(jobs, CURRENT);
  if (!(await lstatIfThere(path))?.isFile) return NOTHING;
  try {
    const value = parseJson(await readTextFile(path, LARGEST_TEXT));
    if (!isObject(value)) return NOTHING;
    const { of, id, next, nextId } = value;
    // A repository may hold anything: what is behind a link is none of mlcli's.
    const isOurs = async (run: unknown): Promise<boolean> =>
      isRunName(run) && !(await lstatIfThere(join(jobs, run)))?.isSymlink;
    return {
      of: await isOurs(of) ? of as string : "",
      id: typeof id === "string" ? id : "",
      next: await isOurs(next) ? next as string : "",
      nextId: typeof nextId === "string" ? nextId : "",
    };
  } catch {
    return NOTHING; // somebody's own
  }
}

/**
 * Writes it as a whole. Where there is no room for it, models are moved all the same: an earlier one then
 * counts as a person's, and is kept.
 */
async function writeCurrent({ jobs }: Paths, current: Current): Promise<void> {
  const path = join(jobs, CURRENT);
  await removeIfThere(`${path}.part`).catch(() => {});
  try {
    await Deno.writeTextFile(`${path}.part`, `${JSON.stringify(current)}\n`, { createNew: true });
    await Deno.rename(`${path}.part`, path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    await removeIfThere(`${path}.part`).catch(() => {});
  }
}

const CURRENT = ".current.json";

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
