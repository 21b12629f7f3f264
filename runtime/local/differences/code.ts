import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import { sentOf } from "../../app/left_out.ts";
import { commonFinding } from "../../app/dockerfile/template_lines.ts";
import { isOfAppsDirectory, usedDockerfile } from "../../app/image.ts";
import type { CodeFolder } from "../../app/layout.ts";
import { IGNORE_FILE } from "../../app/private_files.ts";
import { changesSince } from "../../app/sources.ts";
import { typedPath } from "../../app/typed_path.ts";
import type { ImageDetails } from "../../docker/images.ts";
import { isSystemError, MlcliError } from "../../errors.ts";
import { holdsHarness, isBuiltOf, tagOption } from "../../contract/images.ts";
import { type Message, warning } from "../../messages.ts";
import { inOneLine, listed } from "../../text.ts";
import type { LocalJob } from "../jobs.ts";
import type { BuildMessage } from "./findings.ts";

/** Image of an app, and whether the container runs the image's own code. */
type AppImage = Pick<LocalJob, "app" | "strict">;

/**
 * Returns files that the code finds locally but not on SageMaker, or the other way round. Leaves problems of
 * the search to the command that fails because of them: a broken `.dockerignore`, for example, to `mlcli
 * build`.
 */
export async function codeDifferences(
  job: AppImage,
  code: CodeFolder,
  image: ImageDetails,
): Promise<readonly BuildMessage[]> {
  const found = await Promise.all([
    leftOutDifferences(job.app, code, image),
    leftOutDifferences(job.app, "common", image),
    commonDifferences(job.app, image),
    changedDifferences(job, code, image),
  ].map(quietly));
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
 * Returns the files of a code directory that a build excludes from the image. An image that mlcli did not
 * build contains none of this code, so none was excluded.
 *
 * @throws MlcliError if the files cannot be determined.
 */
export async function leftOutDifferences(
  app: App,
  code: CodeFolder | "common",
  image: ImageDetails,
): Promise<readonly Message[]> {
  if (!isOfAppsDirectory(app, image)) return [];
  if (!holdsHarness(image) && !isBuiltOf(app.name, image)) return [];
  const { leftOut: paths } = await sentOf(app, app.paths[code]);
  const [first] = paths.map(inOneLine);
  if (first === undefined) return [];
  const [dockerignore = "", ...files] = [IGNORE_FILE, ...paths]
    .map((path) => typedPath(app, join(app.directory, path)));
  const [it, which] = paths.length === 1 ? ["it", "it"] : ["them", "the first path"];
  return [warning(
    `mlcli build excludes ${listed(files)} from the image: the code finds ${it} locally but not ` +
      "on SageMaker",
    `Add the line !${first.replace(/\/$/, "")} at the end of ${dockerignore} to include ` +
      `${which} in the image. If it contains data, put it into a channel instead.`,
  )];
}

/**
 * Returns a warning if the code in an image does not find the code that training, processing and prediction
 * share, because the Dockerfile does not copy it.
 *
 * @throws MlcliError if that cannot be determined.
 */
export async function commonDifferences(
  app: App,
  image: ImageDetails,
): Promise<readonly Message[]> {
  if (!holdsHarness(image) || !isBuiltOf(app.name, image)) return [];
  const dockerfile = usedDockerfile(app, image);
  const finding = dockerfile && await commonFinding(app, dockerfile);
  return finding ? [finding] : [];
}

/** Compares the app's code only if it is not mounted over the image's. */
async function changedDifferences(
  { app, strict }: AppImage,
  code: CodeFolder,
  image: ImageDetails,
): Promise<readonly BuildMessage[]> {
  if (app.configuration.image !== undefined || !isBuiltOf(app.name, image)) return [];
  const changes = await changesSince(app, image, strict ? [code, "common"] : []);
  if (!changes?.length) return [];
  const reference = app.image;
  const changed = changes.map(({ shown }) => inOneLine(shown));
  const words = changed.length === 2 ? changed.join(" and ") : listed(changed);
  return [{
    level: "warning",
    message: `${reference} differs from ${words}: SageMaker runs the image as it is`,
    hint: `mlcli build${tagOption(reference)}`,
    needsBuild: changes.some(({ isCode }) => isCode) ? "code" : "image",
  }];
}
