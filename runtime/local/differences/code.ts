import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { type App, imageReference } from "../../app/app.ts";
import { escapeOf } from "../../app/confinement.ts";
import { sentOf } from "../../app/left_out.ts";
import { commonFinding } from "../../app/dockerfile/template_lines.ts";
import { isOfAppsDirectory, OUTSIDE_DOCKERFILE, usedDockerfile } from "../../app/image.ts";
import { type CodeFolder, layoutOf } from "../../app/layout.ts";
import { ownContext } from "../../app/named_path.ts";
import { IGNORE_FILE } from "../../app/private_files.ts";
import { requirementSources } from "../../app/requirements.ts";
import { isOutside, typedPath } from "../../app/typed_path.ts";
import type { Difference } from "../../contract/differences.ts";
import { builtAt, type ImageDetails } from "../../docker/images.ts";
import { isSystemError, MlcliError } from "../../errors.ts";
import { isDirectory, isFile, statIfThere } from "../../files.ts";
import { holdsHarness, isBuiltOf, LABELS, tagOption } from "../../contract/images.ts";
import { inOneLine, listed } from "../../text.ts";
import type { LocalJob } from "../jobs.ts";

/** An app's image, and whether its own code is what runs. */
type AppImage = Pick<LocalJob, "app" | "tag" | "strict">;

/**
 * What the code finds here and would not find on SageMaker, or the other way round. What stands
 * in the way of finding that out is left to the command that fails for it: a broken
 * `.dockerignore`, say, is `mlcli build`'s.
 */
export async function codeDifferences(
  job: AppImage,
  code: CodeFolder,
  image: ImageDetails,
): Promise<readonly Difference[]> {
  const found = await Promise.all([
    quietly(leftOutDifferences(job.app, code, image)),
    quietly(leftOutDifferences(job.app, "common", image)),
    quietly(commonDifferences(job.app, image)),
    quietly(ageDifferences(job, code, image)),
  ]);
  return found.flat();
}

async function quietly<T>(work: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof MlcliError || isSystemError(error)) return [];
    throw error;
  }
}

/**
 * The files of a directory of code that a build leaves out of the image. Somebody else's image holds
 * none of this code, so nothing was left out of it.
 *
 * @throws MlcliError where that cannot be told.
 */
export async function leftOutDifferences(
  app: App,
  code: CodeFolder | "common",
  image: ImageDetails,
): Promise<readonly Difference[]> {
  if (!isOfAppsDirectory(app, image)) return [];
  if (!holdsHarness(image) && !isBuiltOf(app.name, image)) return [];
  const directory = layoutOf(app)[code];
  if (!await isInApp(app, directory)) return [];
  const { leftOut: paths } = await sentOf(app, directory);
  const [first] = paths.map(inOneLine);
  if (first === undefined) return [];
  const names = listed(paths);
  const it = paths.length === 1 ? "it" : "them";
  return [{
    message: `mlcli build leaves ${names} out of the image: the code finds ${it} here and not on ` +
      "SageMaker",
    hint: `A line !${first.replace(/\/$/, "")} at the end of .dockerignore brings ` +
      `${paths.length === 1 ? "it" : "the first"} into the image; data belongs into a channel.`,
  }];
}

/**
 * That the code in an image does not find what training, processing and prediction share, since the
 * Dockerfile does not copy it.
 *
 * @throws MlcliError where that cannot be told.
 */
export async function commonDifferences(
  app: App,
  image: ImageDetails,
): Promise<readonly Difference[]> {
  if (!holdsHarness(image) || !isBuiltOf(app.name, image)) return [];
  const dockerfile = usedDockerfile(app, image);
  const finding = dockerfile && await commonFinding(app, dockerfile);
  return finding ? [finding] : [];
}

/**
 * An image of somebody else's is not made from the app's Dockerfile. Its code counts where that of
 * the app is not mounted over it.
 */
async function ageDifferences(
  { app, tag, strict }: AppImage,
  code: CodeFolder,
  image: ImageDetails,
): Promise<readonly Difference[]> {
  if (app.configuration.image !== undefined || !isBuiltOf(app.name, image)) return [];
  const built = builtAt(image);
  const dockerfile = usedDockerfile(app, image);
  const isOwn = !isOfAppsDirectory(app, image);
  const sources = isOwn ? [] : [
    ...dockerfile === undefined ? [] : [dockerfile],
    ...await requirementSources(app),
  ];
  const codes = isOwn
    ? await filesOfContext(app, image)
    : strict
    ? [...await codeOf(app, code), ...await codeOf(app, "common")]
    : [];
  const changed: string[] = [];
  for (const path of [...sources, ...codes]) {
    const time = (await statIfThere(path))?.mtime;
    if (time && time > built) changed.push(path);
  }
  if (changed.length === 0) return [];
  const reference = imageReference(app, tag);
  const shown = changed.map((path) => typedPath(app, path));
  const words = shown.length === 2 ? shown.map(inOneLine).join(" and ") : listed(shown);
  return [{
    message: `${reference} is older than ${words}: SageMaker ` +
      "runs the image as it is",
    hint: `mlcli build${tagOption(reference)}`,
    older: changed.some((path) => codes.includes(path)) ? "code" : "image",
  }];
}

/** The files that a build takes from a context of the user's own; here, too, the image is run as it is. */
async function filesOfContext(app: App, image: ImageDetails): Promise<readonly string[]> {
  const context = await ownContext(app);
  const dockerfile = image.Config?.Labels?.[LABELS.dockerfile];
  // Of a Dockerfile elsewhere, it is not known what it leaves out.
  if (!context || dockerfile === undefined || dockerfile === OUTSIDE_DOCKERFILE) return [];
  const { localTest } = layoutOf(app);
  const its = join(context.path, `${dockerfile}${IGNORE_FILE}`);
  const ignoreFile = await isFile(its) ? its : undefined;
  const { files } = await sentOf({ directory: context.path }, context.path, ignoreFile);
  return files.map((path) => join(context.path, path))
    .filter((path) => isOutside(relative(localTest, path)));
}

async function isInApp(app: App, directory: string): Promise<boolean> {
  return await isDirectory(directory) && await escapeOf(app, directory) === undefined;
}

/** The files of the code that are in the image. */
async function codeOf(app: App, code: CodeFolder | "common"): Promise<readonly string[]> {
  const directory = layoutOf(app)[code];
  if (!await isInApp(app, directory)) return [];
  return (await sentOf(app, directory)).files.map((path) => join(app.directory, path));
}
