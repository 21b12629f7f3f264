/**
 * What mlcli has to know of an image before it makes a container of it.
 *
 * @module
 */

import type { Engine, ImageDetails } from "../../docker/engine.ts";
import { MlcliError } from "../../errors.ts";

/** Where the Dockerfile of `mlcli init` puts the harness. */
const ENTRY_POINT = "/opt/mlcli/entrypoint";

/** What that Dockerfile says of the image, whatever its entry point. */
const HARNESS_LABEL = "mlcli.harness";

/**
 * Whether an image holds mlcli's harness. Its programs handle SIGTERM; an image of somebody else's
 * gets no init from mlcli, since that would hide that it does not handle it, and then fails on
 * SageMaker.
 */
export function holdsHarness({ Config }: ImageDetails): boolean {
  return Config?.Entrypoint?.[0] === ENTRY_POINT ||
    Config?.Labels?.[HARNESS_LABEL] !== undefined;
}

/**
 * The image.
 * @throws MlcliError when it is not there.
 */
export async function requireImage(engine: Engine, reference: string): Promise<ImageDetails> {
  const image = await engine.image(reference);
  if (image === undefined) throw imageNotFound(reference);
  return image;
}

/** The error that there is no such image. */
export function imageNotFound(reference: string, cause?: unknown): MlcliError {
  return new MlcliError(`Image not found: ${reference}`, {
    hint: "Run mlcli build first, with the same --docker-tag.",
    cause,
  });
}
