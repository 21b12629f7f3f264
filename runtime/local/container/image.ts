/**
 * The image that a container of an app is to run.
 *
 * @module
 */

import { imageReference } from "../../app/app.ts";
import { ownImageFinding } from "../../app/whose.ts";
import type { Engine, ImageDetails } from "../../docker/engine.ts";
import { requireImage } from "../../docker/require_image.ts";
import type { LocalJob } from "../jobs.ts";
import { protectionOf } from "./mounting.ts";
import { requireNetwork } from "./refusals.ts";

/**
 * Looks it up, and learns what the container's creation will ask of the engine.
 *
 * @param signal ends the wait for the engine; its reason is thrown.
 * @throws MlcliError when it is not there, or is another app's, or the engine lets no container have the network.
 */
export async function imageToRun(
  engine: Engine,
  { app, tag, network }: LocalJob,
  signal: AbortSignal,
): Promise<ImageDetails> {
  requireNetwork(engine, network);
  const reference = imageReference(app, tag);
  const image = await requireImage(engine, reference, signal);
  ownImageFinding(app, reference, image);
  // Asked for now, the answer is there when the container is created. A failure shows there, too.
  protectionOf(engine).catch(() => {});
  return image;
}
