import type { App } from "../../app/app.ts";
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
  readonly dockerTag: string;
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
  { app, dockerTag: tag, repository: asked, instanceType }: ImageRequest,
  { ecr, engine }: ImageSources,
  note: (text: string) => void,
): Promise<string> {
  const { image } = app.configuration;
  if (image !== undefined) return await foreignImage(image, instanceType, ecr, note);
  const named = repositoryFor(app, asked);
  const reference = app.image;
  const repository = await ecr.repository(named.name);
  const { value: region } = ecr.region;
  if (!repository) {
    throw notPushedError(reference, `repository ${named.name} does not exist in ${region}`);
  }
  requireOwnRegistry(named, hostOf(repository.uri));
  const images = { ecr, repository: named.name };
  const stored = await storedImage({ tag }, images);
  const address = `${repository.uri}:${tag}`;
  if (!stored) throw notPushedError(reference, `${address} does not exist`);
  const platform = `linux/${architectureOf(instanceType)}`;
  const form = await jobForm(stored, platform, images);
  await requireForm(form, stored, address, images);
  const local = await localImage(reference, engine);
  if (typeof local === "string") {
    note(`Cannot check that ${address} matches the local image for ${platform}: ${local}`);
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
    `SageMaker does not support the manifest type of ${address}: ${stored.mediaType}`,
    { hint: "Push the image with mlcli push, which converts the manifest" },
  );
}

export async function localImage(
  reference: string,
  engine: () => Promise<Engine>,
): Promise<ImageDetails | string> {
  try {
    return await (await engine()).image(reference) ?? `${reference} does not exist locally`;
  } catch (error) {
    // An interruption is thrown on.
    if (error instanceof MlcliError) return error.message;
    throw error;
  }
}

function notPushedError(reference: string, cause: string): MlcliError {
  return new MlcliError(`${reference} has not been pushed: ${cause}`, {
    hint: `Run mlcli push${tagOption(reference)} first`,
  });
}

function otherPlatformError(
  reference: string,
  its: string,
  instanceType: string,
  platform: string,
): MlcliError {
  return new MlcliError(`${reference} is for ${its}, so ${instanceType} cannot run it`, {
    hint: `Run mlcli build --platform ${platform}, then mlcli push, or use another --ec2-type`,
  });
}

function otherImageError(reference: string, address: string): MlcliError {
  return new MlcliError(`The local image ${reference} differs from the pushed image ${address}`, {
    hint: `Push the local image: mlcli push${tagOption(reference)}. ` +
      `To run the pushed image, remove the local one: docker rmi ${reference}`,
  });
}
