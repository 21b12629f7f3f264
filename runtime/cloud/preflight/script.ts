/**
 * Whether a processing script is in the image that is to run it.
 *
 * @module
 */

import { type App, imageReference } from "../../app/app.ts";
import type { Engine, ImageDetails } from "../../docker/engine.ts";
import { MlcliError } from "../../errors.ts";
import { holdsHarness } from "../../contract/images.ts";
import { requireFileInImage } from "./file_in_image.ts";

/** Where the template's Dockerfile puts the user's code, and the harness looks for it. */
const PROGRAM = "/opt/program";

/**
 * Requires the script in an image of ours. Of another image only its author knows where it looks, and
 * without an engine or an image here nobody looks: `imageForJob` says that.
 *
 * @param file relative to `processing/`, with slashes.
 * @throws MlcliError where the image does not have it.
 */
export async function requireScript(
  app: App,
  tag: string,
  file: string,
  engine: () => Promise<Engine>,
): Promise<void> {
  const reference = imageReference(app, tag);
  const image = await imageHere(reference, engine);
  if (image === undefined || !holdsHarness(image)) return;
  await requireFileInImage(await engine(), reference, `${PROGRAM}/processing/${file}`);
}

async function imageHere(
  reference: string,
  engine: () => Promise<Engine>,
): Promise<ImageDetails | undefined> {
  try {
    return await (await engine()).image(reference);
  } catch (error) {
    if (error instanceof MlcliError) return undefined;
    throw error;
  }
}
