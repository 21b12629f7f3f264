import { type App, imageReference } from "../../app/app.ts";
import { elsewhereFinding, requireOwnImage } from "../../app/image.ts";
import type { Ecr, StoredImage } from "../../aws/ecr.ts";
import { tagOption } from "../../contract/images.ts";
import { architectureOf } from "../../contract/instances.ts";
import type { NamedRepository } from "../../contract/registry.ts";
import type { Engine } from "../../docker/engine.ts";
import { type ImageDetails, platformOf } from "../../docker/images.ts";
import { MlcliError } from "../../errors.ts";
import { foreignImage } from "./foreign_image.ts";
import {
  hostOf,
  type JobForm,
  jobForm,
  repositoryFor,
  type RepositoryImages,
  requireOwnRegistry,
  sameImage,
  storedImage,
} from "../push/repository.ts";

export interface ImageRequest {
  readonly app: App;
  readonly tag: string;
  /** Default: the repository of the image's name. */
  readonly repository?: NamedRepository;
  /** `ml.m5.xlarge` */
  readonly instanceType: string;
}

export interface ImageSources {
  readonly ecr: Ecr;
  /** Optional: where no engine answers, its checks are left out, with a note. */
  readonly engine: () => Promise<Engine>;
}

/**
 * The image's address for a job: `REPOSITORY_URI@sha256:...`.
 *
 * @param note gets what could not be checked.
 * @throws MlcliError where it is not pushed, is another one than the engine's or another app's, does not run on the
 * instance type, or has a manifest that SageMaker refuses.
 */
export async function imageForJob(
  { app, tag, repository: asked, instanceType }: ImageRequest,
  { ecr, engine }: ImageSources,
  note: (text: string) => void,
): Promise<string> {
  const { image } = app.configuration;
  if (image !== undefined) return await foreignImage(image, instanceType, ecr, note);
  const named = repositoryFor(app, asked);
  const reference = imageReference(app, tag);
  const repository = await ecr.repository(named.name);
  const { value: region } = ecr.region;
  if (!repository) {
    throw notPushedError(reference, `there is no repository ${named.name} in ${region}`);
  }
  requireOwnRegistry(named, hostOf(repository.uri));
  const images = { ecr, repository: named.name };
  const stored = await storedImage({ tag }, images);
  const address = `${repository.uri}:${tag}`;
  if (!stored) throw notPushedError(reference, `there is no ${address}`);
  const platform = `linux/${architectureOf(instanceType)}`;
  const form = await jobForm(stored, platform, images);
  await requireForm(form, stored, address, images);
  const local = await localImage(reference, engine);
  if (typeof local === "string") {
    note(`${local}: it is not checked that ${address} is the same, and for ${platform}`);
  } else {
    requireOwnImage(app, reference, local);
    const finding = elsewhereFinding(app, reference, local);
    if (finding) note(finding.message);
    const same = await sameImage(local, stored, form, platform, images);
    if (!same) throw otherImageError(reference, address);
    const its = platformOf(local);
    // From a list, the image for SageMaker was chosen already.
    if (!same.isOfList && its !== platform) {
      throw otherPlatformError(reference, its, instanceType, platform);
    }
  }
  return `${repository.uri}@${form.digest}`;
}

/** Requires that the tag has a manifest that SageMaker takes, or that `push` has put one beside it. */
async function requireForm(
  form: JobForm,
  stored: StoredImage,
  address: string,
  images: RepositoryImages,
): Promise<void> {
  if (form.digest === stored.digest || await storedImage(form, images)) return;
  throw new MlcliError(
    `SageMaker refuses the manifest of ${address}: its type is ${stored.mediaType}`,
    { hint: "It was not pushed by mlcli. mlcli push puts one there that SageMaker takes." },
  );
}

export async function localImage(
  reference: string,
  engine: () => Promise<Engine>,
): Promise<ImageDetails | string> {
  try {
    return await (await engine()).image(reference) ?? `This machine has no image ${reference}`;
  } catch (error) {
    // An interruption is thrown on.
    if (error instanceof MlcliError) return error.message;
    throw error;
  }
}

function notPushedError(reference: string, cause: string): MlcliError {
  return new MlcliError(`${reference} is not pushed: ${cause}`, {
    hint: `Run mlcli push${tagOption(reference)} first.`,
  });
}

function otherPlatformError(
  reference: string,
  its: string,
  instanceType: string,
  platform: string,
): MlcliError {
  return new MlcliError(`${reference} is for ${its}, and ${instanceType} runs ${platform}`, {
    hint: `mlcli build --platform ${platform}, then mlcli push; or take another --ec2-type.`,
  });
}

function otherImageError(reference: string, address: string): MlcliError {
  return new MlcliError(`${reference} here is another image than ${address}`, {
    hint: `Was it rebuilt? mlcli push${tagOption(reference)} sends it. An image with another tag ` +
      "that is not on this machine runs as it was pushed.",
  });
}
