import type { App } from "../../app/app.ts";
import type { Ecr, StoredImage } from "../../aws/ecr.ts";
import {
  DOCKER_MANIFEST,
  dockerManifest,
  imageFor,
  isSameRegistry,
  MANIFEST_TYPES,
  mayLogIn,
  type NamedRepository,
  parseRepository,
  readManifest,
} from "../../contract/registry.ts";
import { MlcliError } from "../../errors.ts";
import { sha256 } from "../../text.ts";

/**
 * The repository that is asked for, or that of the app's image.
 * @throws MlcliError where ECR cannot have one of that name.
 */
export function repositoryFor(app: App, asked: NamedRepository | undefined): NamedRepository {
  const named = asked ?? parseRepository(app.configuration.imageName);
  if (named) return named;
  throw new MlcliError(
    `Amazon ECR does not support the repository name ${app.configuration.imageName}`,
    { hint: "Choose a name of at least two characters with --repository" },
  );
}

/**
 * Refuses a repository that is named in another registry than the account's.
 * @param own `123456789012.dkr.ecr.eu-west-1.amazonaws.com`
 */
export function requireOwnRegistry({ host, name }: NamedRepository, own: string): void {
  if (host === undefined || isSameRegistry(host, own)) return;
  throw new MlcliError(`The image's registry ${host} is not your account's registry ${own}`, {
    hint: `Use your registry with --repository ${name}, or the image's account with --profile, ` +
      "--region or --iam-role-arn",
  });
}

/** Refuses to send a login for AWS's registry anywhere else. */
export function requireOwnLogin(login: string, registry: string): void {
  if (mayLogIn(login, registry)) return;
  throw new MlcliError(`ECR returned a login for ${login}, but the repository is in ${registry}`, {
    hint: "The response might not be from AWS. Check AWS_ENDPOINT_URL and the proxy.",
  });
}

export function hostOf(uri: string): string {
  return uri.split("/")[0] ?? "";
}

/** An image with a manifest that SageMaker takes, which may still have to be put. */
export interface JobForm {
  readonly digest: string;
  readonly manifest: string;
  /** Digest of the image's configuration, by which images are compared. */
  readonly configuration: string;
  /** Whether it is one image of a list, chosen by platform. */
  readonly isOfList: boolean;
}

export interface RepositoryImages {
  readonly ecr: Pick<Ecr, "image">;
  readonly repository: string;
  /** Whose registry it is; by default the caller's own. */
  readonly account?: string;
}

/** The image of a tag or a digest; undefined where there is none. */
export async function storedImage(
  name: { readonly tag: string } | { readonly digest: string },
  { ecr, repository, account }: RepositoryImages,
): Promise<StoredImage | undefined> {
  return await ecr.image(repository, name, MANIFEST_TYPES, account);
}

/**
 * The form of an image for jobs: of a list the image for the platform, with Docker's manifest.
 *
 * @param platform `linux/amd64`
 * @throws MlcliError where it has none: no image for the platform, layers packed by zstd.
 */
export async function jobForm(
  image: StoredImage,
  platform: string,
  images: RepositoryImages,
): Promise<JobForm> {
  const read = readManifest(image.manifest, image.mediaType);
  if (read.kind === "list") {
    const chosen = imageFor(
      platform,
      read.manifests,
      images.account && "Use another tag of the image, or an --ec2-type with another architecture",
    );
    const found = await storedImage({ digest: chosen.digest }, images);
    if (!found) throw missingImageError(chosen.digest, images.repository);
    return { ...await formOf(found), isOfList: true };
  }
  return { ...await formOf(image), isOfList: false };
}

async function formOf(image: StoredImage): Promise<Omit<JobForm, "isOfList">> {
  const read = readManifest(image.manifest, image.mediaType);
  if (read.kind === "list") {
    throw new MlcliError(`SageMaker does not support nested image lists: ${image.digest}`, {
      hint: "Push the image again",
    });
  }
  // Also of Docker's manifests: it refuses what SageMaker cannot take.
  const rewritten = dockerManifest(read);
  const manifest = image.mediaType === DOCKER_MANIFEST ? image.manifest : rewritten;
  const digest = image.mediaType === DOCKER_MANIFEST
    ? image.digest
    : `sha256:${await sha256(manifest)}`;
  return { digest, manifest, configuration: read.config.digest };
}

/**
 * Whether the engine's image is the one that a repository holds; undefined where it is not. `isOfList`:
 * the engine has a list of images for several platforms, and may describe another one of them.
 */
export async function sameImage(
  local: { readonly Id: string },
  stored: StoredImage,
  form: JobForm,
  platform: string,
  images: RepositoryImages,
): Promise<Pick<JobForm, "isOfList"> | undefined> {
  if ([form.configuration, form.digest, stored.digest].includes(local.Id)) {
    return { isOfList: form.isOfList };
  }
  // With the containerd image store, the engine's id is the digest of the manifest that it pushed. The
  // manifest under the tag may be another one with the same configuration.
  const pushed = await storedImage({ digest: local.Id }, images);
  if (!pushed) return undefined;
  const { configuration, isOfList } = await jobForm(pushed, platform, images);
  return configuration === form.configuration ? { isOfList } : undefined;
}

function missingImageError(digest: string, repository: string): MlcliError {
  return new MlcliError(`Image ${digest} of an image list is missing in ${repository}`, {
    hint: "Push the image again",
  });
}
