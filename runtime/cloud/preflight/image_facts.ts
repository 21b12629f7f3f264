/** What is known of a job's image that tells what runs the user's code in it. */

import type { Ecr } from "../../aws/ecr.ts";
import { orUnknown } from "../../aws/errors.ts";
import type { LabelledImage } from "../../contract/images.ts";
import { architectureOf } from "../../contract/instances.ts";
import { ecrImage } from "../../contract/registry.ts";
import type { Engine } from "../../docker/engine.ts";
import { isObject, parseJson } from "../../text.ts";
import { jobForm, repositoryFor, type RepositoryImages, storedImage } from "../push/repository.ts";
import { type ImageRequest, localImage } from "./image.ts";

export type ImageFacts = LabelledImage & {
  readonly Config?: { readonly Env?: readonly string[] | null };
};

/**
 * By the registry, which has what the job will run; where it may not be asked, by this machine's engine.
 *
 * @returns `undefined` where neither knows it.
 * @throws MlcliError where the image is a list, and none of it is for the instance type.
 */
export async function imageFacts(
  request: ImageRequest,
  ecr: Ecr,
  engine: () => Promise<Engine>,
): Promise<ImageFacts | undefined> {
  const stored = await orUnknown(inRegistry(request, ecr));
  if (stored !== undefined) return stored;
  const local = await localImage(request.app.image, engine);
  return typeof local === "string" ? undefined : local;
}

async function inRegistry(
  { app, dockerTag: tag, repository: asked, instanceType }: ImageRequest,
  ecr: Ecr,
): Promise<ImageFacts | undefined> {
  const { image } = app.configuration;
  const place = image === undefined
    ? { repository: repositoryFor(app, asked).name, key: { tag } }
    : ecrImage(image);
  if (place === undefined || "region" in place && place.region !== ecr.region.value) {
    return undefined;
  }
  const images: RepositoryImages = { ecr, ...place };
  const stored = await storedImage(place.key, images);
  if (stored === undefined) return undefined;
  const form = await jobForm(stored, `linux/${architectureOf(instanceType)}`, images);
  const text = await ecr.configuration(images.repository, form.configuration, images.account);
  return { Config: configIn(text) };
}

/** An image may hold anything. */
function configIn(text: string): NonNullable<ImageFacts["Config"]> {
  try {
    const { config } = parseJson(text) as { readonly config?: unknown };
    if (!isObject(config)) return {};
    const { Env, Labels, Entrypoint } = config;
    return {
      Env: textsIn(Env),
      Entrypoint: textsIn(Entrypoint),
      Labels: isObject(Labels) ? Labels as Readonly<Record<string, string>> : {},
    };
  } catch {
    return {};
  }
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}
