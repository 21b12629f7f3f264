/** Checks that a command finds what it needs in an app. */

import { SEPARATOR } from "@std/path/constants";
import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { relative } from "@std/path/relative";
import type { HyperparametersFile } from "../contract/hyperparameters.ts";
import { fileErrorHint, fileErrorReason, isMissing, MlcliError } from "../errors.ts";
import { isDirectory, LARGEST_TEXT, lstatIfThere, readTextFile, realPathOf } from "../files.ts";
import { inOneLine } from "../text.ts";
import { escapeOf, PUT_IT_THERE, requireInside } from "./confinement.ts";
import { isJunk } from "./junk.ts";
import { followLink, linkBoundary, nodesIn, REPLACE } from "./links.ts";
import type { Paths } from "./paths.ts";
import { initCommand, isOutside, typedPath, type Viewpoint } from "./typed_path.ts";

/** @throws MlcliError where the app has no directory of test data. */
export async function requireTestDirectory(layout: Paths): Promise<void> {
  if (await isDirectory(layout.testDirectory)) return;
  const { directory, appName } = layout;
  const testDirectory = typedPath(layout, layout.testDirectory);
  const text = await readTextFile(join(directory, `${appName}.json`), LARGEST_TEXT).catch(() => "");
  const words = `--from . ${appName}`;
  throw new MlcliError(`Not a valid mlcli directory: ${typedPath(layout, layout.base)}`, {
    hint: text.includes('"easy_sm_module_dir"')
      ? `Convert this easy_sm project: ${initCommand(layout, words)}`
      : `Create ${testDirectory}/, or add all missing files: ${initCommand(layout, appName)}`,
  });
}

/** For data that lies elsewhere, where the command is not known. */
const NAME_THE_DATA = "Use --input of local train or local process for data outside the repository";

export type CodeFolder = "training" | "prediction" | "processing";

/**
 * Requires that nothing that a run of this code touches leads out of the app's repository.
 *
 * @param except paths of the layout that are not touched, since the user named other data.
 * @param dataHint what to do when the test data leads out, given what it leads to.
 * @throws MlcliError
 */
export async function requireLayoutInside(
  layout: Paths,
  code: CodeFolder,
  except: readonly string[] = [],
  dataHint: (target: string) => string = () => NAME_THE_DATA,
): Promise<void> {
  const { input, configInput, hyperparameters, inputData, output } = layout;
  const data = code === "training" ? layout.trainingData : layout.processingData;
  const paths = [
    ...[layout.base, layout[code], layout.common],
    ...[layout.localTest, layout.testDirectory, layout.model, layout.jobs],
    ...(code === "prediction" ? [] : [
      output,
      layout.checkpoints,
      input,
      configInput,
      hyperparameters,
      inputData,
      data,
    ]),
  ].filter((path) => !except.includes(path));
  await requireInside(
    layout,
    paths,
    (path, target) => path === data ? dataHint(target) : PUT_IT_THERE,
  );
  await requireApart(layout);
}

/**
 * Requires that containers write to directories of results only, in `test_dir`, which is closed to
 * other users. These must not contain, or lie in, a directory that is read or written for another
 * purpose: a container could put links there, which the next run would follow.
 */
async function requireApart(layout: Paths): Promise<void> {
  const { training, prediction, processing, common, input } = layout;
  const around = [layout.directory, layout.base, layout.localTest, layout.testDirectory];
  const data = [layout.configInput, layout.inputData, layout.trainingData, layout.processingData];
  const apart = [layout.jobs, training, prediction, processing, common, input, ...data];
  const written = writtenDirectories(layout);
  const realWritten = await realPaths(written);
  const others = await realPaths([...around, ...apart]);
  for (const [number, path] of written.entries()) {
    const real = realWritten[number]!;
    for (const [index, other] of [...around, ...apart].entries()) {
      const realOther = others[index]!;
      const isInside = index >= around.length && contains(realOther, real);
      if (isInside || contains(real, realOther)) throw overlapError(layout, path, other);
    }
    for (const [before, other] of written.slice(0, number).entries()) {
      const realOther = realWritten[before]!;
      const isOne = contains(realOther, real) || contains(real, realOther);
      if (isOne) throw overlapError(layout, other, path);
    }
  }
  // Real paths say what a container wrote.
  for (const path of [layout.base, layout.localTest, layout.testDirectory, layout.jobs]) {
    if ((await lstatIfThere(path))?.isSymlink) throw linkError(layout, path);
  }
  const test = others[around.indexOf(layout.testDirectory)]!;
  const own = written.map((path) => join(test, relative(layout.testDirectory, path)));
  const link = written.find((_, number) => own[number] !== realWritten[number]);
  if (link !== undefined) throw linkError(layout, link);
}

function writtenDirectories({ model, output, checkpoints }: Paths): readonly string[] {
  return [model, output, checkpoints];
}

/** Requires that containers write neither into nor around a directory of data. */
export async function requireNotWritten(layout: Paths, path: string): Promise<void> {
  const written = writtenDirectories(layout);
  const [real, ...realWritten] = await realPaths([path, ...written]);
  for (const [index, other] of realWritten.entries()) {
    const isApart = !contains(real!, other) && !contains(other, real!);
    if (!isApart) throw overlapError(layout, written[index]!, path);
  }
}

function realPaths(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realPathOf(path)));
}

/** Whether a directory is, or holds, another one. Both are real paths. */
function contains(directory: string, other: string): boolean {
  return !isOutside(relative(directory, other));
}

function linkError(layout: Paths, written: string): MlcliError {
  return new MlcliError(`${typedPath(layout, written)} is a link, but must be a directory`, {
    hint: `Remove the link: containers write only inside ${
      typedPath(layout, layout.testDirectory)
    }, which only you can access`,
  });
}

function overlapError(layout: Paths, written: string, other: string): MlcliError {
  const [path, otherPath] = [typedPath(layout, written), typedPath(layout, other)];
  return new MlcliError(`${path} overlaps with ${otherPath}`, {
    hint: `Use another directory, or remove the link between them: containers write to ${path}`,
  });
}

/**
 * Requires that there is something to train on: a file in one of the channels, whatever their
 * names.
 *
 * @param channels their directories.
 * @param named the one that the user named, if any: the error is about it.
 * @throws MlcliError
 */
export async function requireTrainingData(
  layout: Paths,
  channels: readonly string[],
  named?: string,
): Promise<void> {
  for (const channel of channels) {
    if (await holdsFile(layout, channel, await linkBoundary(channel, layout.boundary))) return;
  }
  const path = typedPath(layout, named ?? layout.trainingData);
  const others = " or a directory next to it, or use other data: --input CHANNEL=DIR";
  const broken = await brokenLinkIn(layout, named ?? layout.trainingData);
  throw new MlcliError(`No such file or directory: ${path} (training data)`, {
    hint: broken ?? `Put training data into ${path}/${named === undefined ? others : ""}`,
  });
}

/**
 * Requires a model to serve.
 *
 * @param earlier finds the runs that have a model, the newest first.
 * @throws MlcliError if there is none.
 */
export async function requireModel(
  layout: Paths,
  earlier?: () => Promise<readonly string[]>,
): Promise<void> {
  if (await holdsFile(layout, layout.model, layout.model)) return;
  const [run] = await earlier?.() ?? [];
  throw new MlcliError(`Model not found: ${typedPath(layout, layout.model)}`, {
    hint: await brokenLinkIn(layout, layout.model) ??
      (run === undefined
        ? "Run mlcli local train first"
        : `Serve the model of an earlier run: mlcli local deploy --run ${run}`),
  });
}

/**
 * Requires that a processing script is there, and inside `processing/`.
 *
 * @param name as the user typed it: relative to `processing/`.
 * @returns the script's path relative to `processing/`, normalized, with slashes.
 * @throws MlcliError
 */
export async function requireProcessingFile(layout: Paths, name: string): Promise<string> {
  const path = normalize(name);
  if (name !== "" && !isAbsolute(name) && !isOutside(path) && await isInside(layout, path)) {
    return path.replaceAll(SEPARATOR, "/");
  }
  const processing = typedPath(layout, layout.processing);
  const scripts = await scriptsOf(layout);
  throw new MlcliError(`Processing file not found: ${name}`, {
    hint: scripts.length === 0
      ? `Put the file into ${processing}/`
      : `Choose one of these files in ${processing}/: ${scripts.join(", ")}`,
  });
}

/** Returns whether a file lies below `processing/`, where links may lead anywhere in the repository. */
async function isInside(layout: Paths, path: string): Promise<boolean> {
  try {
    const file = join(layout.processing, path);
    return (await Deno.stat(file)).isFile && await escapeOf(layout, file) === undefined;
  } catch {
    return false; // not there, or not readable
  }
}

/** The Python files in `processing/`, sorted. None when it cannot be read. */
export async function scriptsOf(layout: Paths): Promise<string[]> {
  try {
    if (await escapeOf(layout, layout.processing)) return [];
    const entries = await Array.fromAsync(Deno.readDir(layout.processing));
    return entries.filter((entry) => !entry.isDirectory && entry.name.endsWith(".py"))
      .map((entry) => entry.name).sort();
  } catch {
    return []; // the message says already that something is missing
  }
}

/** Besides junk, files that keep a directory in version control, or that programs leave behind. */
const PLACEHOLDERS = new Set([".gitkeep", ".gitignore", "__pycache__"]);

/** Whether a file of this name is no data, and no part of a model. */
export function isPlaceholder(name: string): boolean {
  return PLACEHOLDERS.has(name) || isJunk(name);
}

/**
 * Returns whether a directory holds a file at any depth. A link counts if it is not broken.
 *
 * @param boundary real path of the directory that links must not lead out of.
 * @throws MlcliError when it cannot be read.
 */
export async function holdsFile(
  layout: Viewpoint,
  directory: string,
  boundary: string,
): Promise<boolean> {
  try {
    for (const entry of Deno.readDirSync(directory)) {
      if (isPlaceholder(entry.name)) continue;
      const path = join(directory, entry.name);
      if (entry.isFile) return true;
      if (entry.isSymlink && followLink(path, Deno.realPathSync(boundary)).target !== undefined) {
        return true;
      }
      if (entry.isDirectory && await holdsFile(layout, path, boundary)) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof MlcliError) throw error;
    if (isMissing(error)) return false;
    throw new MlcliError(
      `Cannot read ${typedPath(layout, directory)}: ${fileErrorReason(error)}`,
      { cause: error },
    );
  }
}

/** Returns a hint about the first broken link of a directory that has nothing else. */
export async function brokenLinkIn(layout: Paths, directory: string): Promise<string | undefined> {
  if (!await isDirectory(directory)) return undefined;
  const boundary = await linkBoundary(directory, layout.boundary);
  const link = nodesIn(directory, boundary).find(({ kind }) => kind === "link");
  if (link === undefined) return undefined;
  const shown = typedPath(layout, join(directory, link.path));
  return `${inOneLine(`${shown} ${link.words}`)}. ${REPLACE}`;
}

/**
 * `undefined` where there is none.
 *
 * @throws MlcliError where it cannot be read.
 */
export async function readHyperparametersFile(
  layout: Paths,
): Promise<HyperparametersFile | undefined> {
  const { hyperparameters } = layout;
  const path = typedPath(layout, hyperparameters);
  try {
    return { path, text: await readTextFile(hyperparameters, LARGEST_TEXT) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new MlcliError(`Cannot read ${path}: ${fileErrorReason(error)}`, {
      hint: fileErrorHint(error) ??
        'Make it a readable file with a JSON object, such as {"epochs": 20}',
      cause: error,
    });
  }
}
