/**
 * What mlcli has to know of an image before it makes a container of it.
 *
 * @module
 */

import type { Engine, ImageDetails } from "../../docker/engine.ts";
import { MlcliError } from "../../errors.ts";
import { LABELS } from "../../labels.ts";

/** Where the Dockerfile of `mlcli init` puts the harness. */
const ENTRY_POINT = "/opt/mlcli/entrypoint";

/**
 * Whether an image holds mlcli's harness, whose programs handle SIGTERM. Containers of other images
 * get no init from mlcli: it would hide that a program does not handle SIGTERM, which then fails on
 * SageMaker.
 */
export function holdsHarness({ Config }: ImageDetails): boolean {
  return Config?.Entrypoint?.[0] === ENTRY_POINT ||
    Config?.Labels?.[LABELS.harness] !== undefined;
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

/** The error for an image that is not there. */
export function imageNotFound(reference: string, cause?: unknown): MlcliError {
  return new MlcliError(`Image not found: ${reference}`, {
    hint: "Run mlcli build first, with the same --docker-tag.",
    cause,
  });
}
