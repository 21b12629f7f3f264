/**
 * An image that has to be there.
 *
 * @module
 */

import type { Engine, ImageDetails } from "./engine.ts";
import { MlcliError } from "../errors.ts";

/**
 * The image.
 * @param signal ends the wait for the engine; its reason is thrown.
 * @throws MlcliError when it is not there.
 */
export async function requireImage(
  engine: Engine,
  reference: string,
  signal: AbortSignal,
): Promise<ImageDetails> {
  const image = await engine.image(reference, signal);
  if (image === undefined) throw imageNotFound(reference);
  return image;
}

/** The error for an image that is not there. */
export function imageNotFound(reference: string, cause?: unknown): MlcliError {
  return new MlcliError(`Image not found: ${reference}`, {
    hint: "Run mlcli build first, with the same --docker-tag.",
    cause,
  });
}
