/** Checks which image a build can replace, and describes the new image. */

import type { App } from "../app/app.ts";
import { commonFinding } from "../app/dockerfile/template_lines.ts";
import { elsewhereFinding, platformFinding, requireOwnImage } from "../app/image.ts";
import { holdsHarness, isBuiltByMlcli, isOfOwnContext } from "../contract/images.ts";
import type { BuildOptions, Engine } from "../docker/engine.ts";
import { type ImageDetails, platformOf } from "../docker/images.ts";
import { MlcliError } from "../errors.ts";
import { type Message, warning } from "../messages.ts";
import type { ChosenDockerfile } from "./chosen_dockerfile.ts";
import { rulesBrokenBy } from "./rules_of_image.ts";

/**
 * Requires that the build does not replace the image of another app, or an image that mlcli did not build,
 * without `--replace`.
 *
 * @returns a warning if the app's image was built in another directory.
 */
export async function requireOwnName(
  engine: Engine,
  app: App,
  reference: string,
  signal: AbortSignal,
): Promise<Message | undefined> {
  const image = await engine.image(reference, signal);
  if (image) requireOwnImage(app, reference, image);
  const finding = image && elsewhereFinding(app, reference, image);
  if (image === undefined || isBuiltByMlcli(image)) return finding;
  throw new MlcliError(`${reference} already exists, and mlcli did not build it`, {
    hint: "To use this name for the new image, add --replace. Otherwise, set another image_name " +
      `in ${app.name}.json, or use another --docker-tag. Local commands can run this image.`,
  });
}

/** Returns messages about the new image; none if the engine does not describe it. */
export async function factsOf(
  engine: Engine,
  app: App,
  { tag, platform, signal }: BuildOptions,
  { source }: ChosenDockerfile,
): Promise<{ readonly id?: string; readonly warnings: readonly Message[] }> {
  const image = await engine.image(tag).catch(() => undefined);
  if (image === undefined) return { warnings: [] };
  const built = { reference: tag, platform: platformOf(image), isOurs: true };
  const found = [
    platformFinding(built, platform),
    ...isOfOwnContext(image) ? await brokenRules(engine, tag, image, signal) : [
      holdsHarness(image) ? await commonFinding(app, source).catch(() => undefined) : undefined,
    ],
  ];
  return { id: image.Id, warnings: found.filter((warning) => warning !== undefined) };
}

/** The image is built, even if it cannot be checked. */
async function brokenRules(
  engine: Engine,
  reference: string,
  image: ImageDetails,
  signal: AbortSignal,
): Promise<readonly Message[]> {
  try {
    return await rulesBrokenBy(engine, reference, image, signal);
  } catch (error) {
    if (!(error instanceof MlcliError)) throw error;
    const message = `Cannot check ${reference} against SageMaker's rules: ${error.message}`;
    return [warning(message, "Check it again: mlcli doctor")];
  }
}
