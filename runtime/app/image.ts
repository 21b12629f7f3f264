/**
 * Image of an app: its owner, its platform, and the Dockerfile that it was built from. A repository chooses
 * its app's name, but not the directory of its clone, so labels contain both.
 */

import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { isOfOwnContext, type LabelledImage, LABELS } from "../contract/images.ts";
import { MlcliError, UsageError } from "../errors.ts";
import { type Message, warning } from "../messages.ts";
import { inOneLine } from "../text.ts";
import type { App } from "./app.ts";
import { isOutside, shellWord } from "./typed_path.ts";

export function ownerLabels({ name, mark }: Pick<App, "name" | "mark">): Record<string, string> {
  return { [LABELS.app]: name, [LABELS.directory]: mark };
}

/** Whether a label belongs to another directory or another machine. */
export function isElsewhere(directory: string | undefined, mark: string): boolean {
  return Boolean(directory) && directory !== mark;
}

/**
 * Requires that an image that an app uses or replaces is not another app's. An image without labels belongs
 * to no app.
 *
 * @param reference `name:tag`
 * @throws MlcliError
 */
export function requireOwnImage(
  { name }: Pick<App, "name">,
  reference: string,
  { Config }: LabelledImage,
): void {
  const { [LABELS.app]: app } = Config?.Labels ?? {};
  if (!app || app === name) return;
  throw new MlcliError(`${reference} belongs to another app: ${inOneLine(app)}`, {
    hint: `Set another image_name in ${name}.json, or use another --docker-tag. To reuse the ` +
      "name for this app, run mlcli build --replace.",
  });
}

/** The error for a script of `processing/` and an image that exists, and does not know what that is. */
export function noScripts(
  { configuration: { image, imageName } }: Pick<App, "configuration">,
  file: string,
): UsageError {
  return new UsageError(
    `--file requires an image from mlcli init's Dockerfile, but ${image ?? imageName} is not one`,
    { hint: `For any image with Python, use --entry-point ${shellWord(file)} --source-dir DIR` },
  );
}

/** The warning that an app's image was built in another directory. */
export function elsewhereFinding(
  { mark }: Pick<App, "mark">,
  reference: string,
  { Config }: LabelledImage,
): Message | undefined {
  const { [LABELS.app]: app, [LABELS.directory]: directory } = Config?.Labels ?? {};
  if (!app || !isElsewhere(directory, mark)) return undefined;
  return warning(
    `${reference} was not built from this directory, so its code might differ`,
    "To rebuild it from the code in this directory, run mlcli build. To keep it, choose " +
      "another image_name or --docker-tag.",
  );
}

/**
 * Returns the warning that mlcli built a base image for another app. An app can give its image any name, and
 * mlcli does not ask a registry about a local image.
 */
export function baseImageFinding(
  own: Pick<App, "name" | "mark">,
  reference: string,
  image: LabelledImage,
): Message | undefined {
  const app = otherApp(own, image);
  if (app === undefined) return undefined;
  return warning(
    `The base image ${reference} is local: mlcli built it for the app ${inOneLine(app)}`,
    `To use the registry's image, run docker pull ${reference}`,
  );
}

/** Returns the app that mlcli built an image for, if it is another app, or an app in another directory. */
function otherApp(
  { name, mark }: Pick<App, "name" | "mark">,
  { Config }: LabelledImage,
): string | undefined {
  const { [LABELS.app]: app, [LABELS.directory]: directory } = Config?.Labels ?? {};
  return !app || app === name && !isElsewhere(directory, mark) ? undefined : app;
}

/**
 * Requires that an image that the user did not type comes from its registry. An app can give any name to the
 * image that mlcli builds for it.
 *
 * @throws MlcliError
 */
export function requireNotBuiltHere(
  own: Pick<App, "name" | "mark">,
  reference: string,
  image: LabelledImage,
): void {
  const app = otherApp(own, image);
  if (app === undefined) return;
  throw new MlcliError(
    `${reference} is not from a registry: mlcli built it for the app ${inOneLine(app)}`,
    {
      hint: `Get the registry's image (docker pull ${reference}), or confirm the local image: ` +
        `--image ${reference}`,
    },
  );
}

/**
 * Whether an app's image is made of the app's directory, by its own Dockerfile: not one that exists, and
 * not of a context of the user's own.
 *
 * @param made the image, where it is known.
 */
export function isOfAppsDirectory(
  { configuration: { image, context } }: Pick<App, "configuration">,
  made?: LabelledImage,
): boolean {
  return image === undefined && context === undefined && !(made && isOfOwnContext(made));
}

/** The platform of SageMaker's instances, except those with Graviton processors. */
export const PLATFORM = "linux/amd64";

/** The platform of instances with Graviton processors, which the user has to ask for. */
const GRAVITON = "linux/arm64";

export interface BuiltImage {
  /** `name:tag` */
  readonly reference: string;
  /** `linux/amd64` */
  readonly platform: string;
  /** Whether `mlcli build` made it. */
  readonly isOurs: boolean;
}

/**
 * Returns the warning that an image does not run on all instances. Returns `undefined` if the image runs on
 * Graviton processors and the configuration asks for them.
 *
 * Source: https://aws.amazon.com/sagemaker/pricing (instance types)
 *
 * @param configured the configuration's `platform`.
 */
export function platformFinding(
  { reference, platform, isOurs }: BuiltImage,
  configured: string | undefined,
): Message | undefined {
  if (platform === PLATFORM) return undefined;
  const isGraviton = platform === GRAVITON;
  if (isGraviton && isFor(configured, GRAVITON)) return undefined;
  const build = isOurs ? `run mlcli build --platform ${PLATFORM}` : `use an image for ${PLATFORM}`;
  return warning(
    isGraviton
      ? `${reference} is for ${platform}, so on SageMaker it runs only on Graviton instances ` +
        "(ml.c7g, ...)"
      : `${reference} is for ${platform}, which SageMaker does not support`,
    isGraviton
      ? `For other instances, ${build}. For Graviton, set "platform": "${GRAVITON}" in NAME.json.`
      : `To run it on SageMaker, ${build}`,
  );
}

/** Also with a variant: `linux/arm64/v8`. */
function isFor(configured: string | undefined, platform: string): boolean {
  return configured === platform || (configured?.startsWith(`${platform}/`) ?? false);
}

/** In build context and label, the path of a Dockerfile outside of the app's directory. */
export const OUTSIDE_DOCKERFILE = ".mlcli-dockerfile";

/**
 * Returns the absolute path of the Dockerfile that `mlcli build` made an image from: by default the app's
 * own. Returns `undefined` for a Dockerfile outside the app's directory, which the user named, or for one in
 * the user's own build context.
 */
export function usedDockerfile(app: App, image: LabelledImage): string | undefined {
  if (!isOfAppsDirectory(app, image)) return undefined;
  const path = image.Config?.Labels?.[LABELS.dockerfile];
  if (path === undefined) return app.paths.dockerfile;
  // Anybody may have made the image.
  return path === OUTSIDE_DOCKERFILE || isOutside(normalize(path))
    ? undefined
    : join(app.directory, path);
}
