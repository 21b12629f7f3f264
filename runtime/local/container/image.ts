/**
 * What mlcli has to know of an image before it makes a container of it.
 *
 * @module
 */

import type { App } from "../../app/app.ts";
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

/** Whether `mlcli build` made an image, or another from the template's Dockerfile. */
export function isBuiltByMlcli(image: ImageDetails): boolean {
  return holdsHarness(image) || image.Config?.Labels?.[LABELS.version] !== undefined;
}

/**
 * Whether `mlcli build` made an image of this app: its Dockerfile, its requirements and its code.
 * Another app's may be named in the configuration, too.
 */
export function isBuiltOf({ name }: Pick<App, "name">, { Config }: ImageDetails): boolean {
  return Config?.Labels?.[LABELS.app] === name;
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
