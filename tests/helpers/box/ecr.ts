/**
 * Amazon ECR: its API. Images themselves go through the registry's front (`registry_front.ts`).
 *
 * @module
 */

import { ACCOUNT, jsonAnswer } from "../aws_answers.ts";
import type { Blobs } from "./blobs.ts";
import { ECR_RULES } from "./ecr_rules.ts";
import {
  digestOf,
  type EcrStore,
  isList,
  listedBy,
  partsOf,
  type Repository,
  repositoryArn,
  type StoredImage,
} from "./ecr_store.ts";
import { type BoxRequest, type Permission, Refused, type Service, Unexpected } from "./service.ts";
import { checkInput } from "./validation.ts";

type Input = BoxRequest["input"];

/** What it has to know. */
export interface EcrParts {
  readonly store: EcrStore;
  readonly blobs: Blobs;
  /** `localhost:PORT` of the front. */
  readonly host: string;
}

/** The API of ECR, for one account. */
export class Ecr implements Service {
  readonly #operations: Readonly<
    Record<string, (input: Input, request: BoxRequest) => unknown>
  > = {
    DescribeRepositories: (input) => this.#describeRepositories(input),
    CreateRepository: (input) => this.#createRepository(input),
    GetAuthorizationToken: (_, request) => this.#token(request),
    DescribeImages: (input) => this.#describeImages(input),
    BatchGetImage: (input) => this.#getImages(input),
    PutImage: (input) => this.#putImage(input),
    BatchCheckLayerAvailability: (input) => this.#checkLayers(input),
    GetDownloadUrlForLayer: (input) => this.#downloadUrl(input),
  };

  constructor(private readonly parts: EcrParts) {}

  permission({ operation, input }: BoxRequest): Permission {
    const name = input.repositoryName ?? input.repositoryNames?.[0];
    return { action: `ecr:${operation}`, resource: name ? repositoryArn(name) : "*" };
  }

  async handle(request: BoxRequest): Promise<Response> {
    const { operation, input } = request;
    const work = this.#operations[operation];
    if (!work) throw new Unexpected(`Not expected: ecr:${operation}`);
    checkInput(ECR_RULES[operation]!, input, "InvalidParameterException");
    return jsonAnswer(await work(input, request));
  }

  #describeRepositories({ registryId, repositoryNames, maxResults = 100, nextToken }: Input) {
    const { repositories } = this.parts.store;
    const found: Repository[] = repositoryNames
      ? repositoryNames.map((name: string) => this.#repository(name, registryId))
      : [...repositories.values()];
    const { page, token } = pageOf(found, maxResults, nextToken);
    return { repositories: page.map((one) => this.#summary(one)), nextToken: token };
  }

  #createRepository({ repositoryName, imageTagMutability, tags = [] }: Input) {
    const { store } = this.parts;
    if (store.repositories.has(repositoryName)) {
      throw new Refused(
        "RepositoryAlreadyExistsException",
        `The repository with name '${repositoryName}' already exists in the registry with id ` +
          `'${ACCOUNT}'`,
      );
    }
    const isImmutable = imageTagMutability === "IMMUTABLE";
    const repository = store.add(repositoryName, { isImmutable });
    for (const { Key, Value } of tags) repository.resourceTags.set(Key, Value);
    return { repository: this.#summary(repository) };
  }

  #token({ key }: BoxRequest) {
    const { password, expiresAt } = this.parts.store.issueToken(key);
    return {
      authorizationData: [{
        authorizationToken: btoa(`AWS:${password}`),
        expiresAt: expiresAt / 1_000,
        proxyEndpoint: `http://${this.parts.host}`,
      }],
    };
  }

  #describeImages(input: Input) {
    const { repositoryName, registryId, imageIds, filter, maxResults = 100, nextToken } = input;
    const repository = this.#repository(repositoryName, registryId);
    const found = imageIds
      ? new Set<StoredImage>(imageIds.map((id: ImageId) => this.#image(repository, id)))
      : repository.images.values();
    const isWanted = ({ digest }: StoredImage): boolean => {
      const isTagged = this.parts.store.tagsOf(repository, digest).length > 0;
      return filter?.tagStatus === "TAGGED"
        ? isTagged
        : filter?.tagStatus !== "UNTAGGED" || !isTagged;
    };
    const { page, token } = pageOf([...found].filter(isWanted), maxResults, nextToken);
    return {
      imageDetails: page.map((image) => this.#detail(repository, image)),
      nextToken: token,
    };
  }

  #getImages({ repositoryName, registryId, imageIds, acceptedMediaTypes }: Input) {
    const repository = this.#repository(repositoryName, registryId);
    const images: unknown[] = [];
    const failures: unknown[] = [];
    for (const imageId of imageIds as ImageId[]) {
      const image = this.#find(repository, imageId);
      const isAccepted = !acceptedMediaTypes || acceptedMediaTypes.includes(image?.mediaType);
      if (!image || !isAccepted) {
        failures.push({
          imageId,
          failureCode: "ImageNotFound",
          failureReason: "Requested image not found",
        });
        continue;
      }
      images.push(this.#whole(repository, image, imageId.imageTag));
    }
    return { images, failures };
  }

  async #putImage(input: Input) {
    const { repositoryName, registryId, imageManifest, imageTag, imageDigest } = input;
    const repository = this.#repository(repositoryName, registryId);
    const digest = digestOf(imageManifest);
    const mediaType = mediaTypeOf(imageManifest, input.imageManifestMediaType);
    if (imageDigest !== undefined && imageDigest !== digest) {
      throw new Refused(
        "ImageDigestDoesNotMatchException",
        `The calculated digest '${digest}' does not match the given digest '${imageDigest}'`,
      );
    }
    const isThere = imageTag === undefined
      ? repository.images.has(digest)
      : repository.tags.get(imageTag) === digest;
    if (isThere) {
      throw new Refused(
        "ImageAlreadyExistsException",
        `Image with digest '${digest}' and tag '${imageTag ?? null}' already exists in the ` +
          `repository with name '${repositoryName}' in registry with id '${ACCOUNT}'`,
      );
    }
    if (imageTag !== undefined && repository.isImmutable && repository.tags.has(imageTag)) {
      throw new Refused("ImageTagAlreadyExistsException", immutableTag(repository, imageTag));
    }
    await this.#checkParts(repository, imageManifest, mediaType);
    const image = { digest, manifest: imageManifest, mediaType };
    await this.parts.blobs.putManifest(repositoryName, imageTag ?? digest, image);
    this.parts.store.keep(repository, image, imageTag);
    return { image: this.#whole(repository, image, imageTag) };
  }

  async #checkParts(repository: Repository, manifest: string, mediaType: string): Promise<void> {
    const missing = listedBy(manifest).map(({ digest }) => digest)
      .filter((digest) => !repository.images.has(digest));
    if (isList(mediaType) && missing.length > 0) {
      throw new Refused(
        "ReferencedImagesNotFoundException",
        `Images with digests '${missing}' required for pushing image into repository with name ` +
          `'${repository.name}' in the registry with id '${ACCOUNT}' do not exist`,
      );
    }
    const absent: string[] = [];
    for (const { digest } of partsOf(manifest)) {
      if (await this.parts.blobs.size(repository.name, digest) === undefined) absent.push(digest);
    }
    if (absent.length === 0) return;
    throw new Refused(
      "LayersNotFoundException",
      `Layers with digests '${absent}' required for pushing image into repository with name ` +
        `'${repository.name}' in the registry with id '${ACCOUNT}' do not exist`,
    );
  }

  async #checkLayers({ repositoryName, registryId, layerDigests }: Input) {
    this.#repository(repositoryName, registryId);
    const layers: unknown[] = [];
    const failures: unknown[] = [];
    for (const layerDigest of layerDigests as string[]) {
      if (!/^[a-zA-Z0-9-_+.]+:[a-fA-F0-9]+$/.test(layerDigest)) {
        const failureReason = "Invalid parameter at 'layerDigest'";
        failures.push({ layerDigest, failureCode: "InvalidLayerDigest", failureReason });
        continue;
      }
      const size = await this.parts.blobs.size(repositoryName, layerDigest);
      layers.push({
        layerDigest,
        layerAvailability: size === undefined ? "UNAVAILABLE" : "AVAILABLE",
        layerSize: size,
      });
    }
    return { layers, failures };
  }

  async #downloadUrl({ repositoryName, registryId, layerDigest }: Input) {
    this.#repository(repositoryName, registryId);
    if (await this.parts.blobs.size(repositoryName, layerDigest) === undefined) {
      throw new Refused(
        "LayersNotFoundException",
        `The layer with digest '${layerDigest}' does not exist in the repository with name ` +
          `'${repositoryName}' in registry with id '${ACCOUNT}'`,
      );
    }
    const signature = digestOf(`${repositoryName}@${layerDigest}`).slice("sha256:".length);
    const downloadUrl =
      `http://${this.parts.host}/layers/${repositoryName}@${layerDigest}?X-Amz-Signature=${signature}`;
    return { downloadUrl, layerDigest };
  }

  #repository(name: string, registryId = ACCOUNT): Repository {
    const repository = this.parts.store.repositories.get(name);
    if (repository && registryId === ACCOUNT) return repository;
    throw new Refused("RepositoryNotFoundException", noRepository(name, registryId));
  }

  #find(repository: Repository, { imageTag, imageDigest }: ImageId): StoredImage | undefined {
    if (imageTag === undefined) return repository.images.get(imageDigest ?? "");
    const digest = repository.tags.get(imageTag);
    if (imageDigest !== undefined && imageDigest !== digest) return undefined;
    return repository.images.get(digest ?? "");
  }

  #image(repository: Repository, id: ImageId): StoredImage {
    const image = this.#find(repository, id);
    if (image) return image;
    const { imageDigest = null, imageTag = null } = id;
    throw new Refused(
      "ImageNotFoundException",
      `The image with imageId {imageDigest:'${imageDigest}', imageTag:'${imageTag}'} does not ` +
        `exist within the repository with name '${repository.name}' in the registry with id ` +
        `'${ACCOUNT}'`,
    );
  }

  #summary({ name, createdAt, isImmutable }: Repository) {
    return {
      repositoryArn: repositoryArn(name),
      registryId: ACCOUNT,
      repositoryName: name,
      repositoryUri: `${this.parts.host}/${name}`,
      createdAt,
      imageTagMutability: isImmutable ? "IMMUTABLE" : "MUTABLE",
      imageScanningConfiguration: { scanOnPush: false },
      encryptionConfiguration: { encryptionType: "AES256" },
    };
  }

  #detail(repository: Repository, { digest, manifest, mediaType, pushedAt }: StoredImage) {
    const tags = this.parts.store.tagsOf(repository, digest);
    const size = partsOf(manifest).reduce((sum, part) => sum + part.size, 0);
    return {
      registryId: ACCOUNT,
      repositoryName: repository.name,
      imageDigest: digest,
      ...(tags.length > 0 ? { imageTags: tags } : {}),
      imageSizeInBytes: size,
      imagePushedAt: pushedAt,
      imageManifestMediaType: mediaType,
      artifactMediaType: isList(mediaType) ? undefined : JSON.parse(manifest).config?.mediaType,
    };
  }

  #whole(
    repository: Repository,
    { digest, manifest, mediaType }: Omit<StoredImage, "pushedAt">,
    tag: string | undefined,
  ) {
    return {
      registryId: ACCOUNT,
      repositoryName: repository.name,
      imageId: { imageDigest: digest, ...(tag === undefined ? {} : { imageTag: tag }) },
      imageManifest: manifest,
      imageManifestMediaType: mediaType,
    };
  }
}

/** How an image is named. */
interface ImageId {
  readonly imageTag?: string;
  readonly imageDigest?: string;
}

/** ECR's words for a repository that is not there. */
export function noRepository(name: string, registryId: string = ACCOUNT): string {
  return `The repository with name '${name}' does not exist in the registry with id ` +
    `'${registryId}'`;
}

/** ECR's words for a tag that stays with its image. */
export function immutableTag({ name }: Repository, tag: string): string {
  return `The image tag '${tag}' already exists in the '${name}' repository and cannot be ` +
    "overwritten because the tag is immutable.";
}

function mediaTypeOf(manifest: string, given: string | undefined): string {
  let own: string | undefined;
  try {
    own = JSON.parse(manifest).mediaType;
  } catch {
    throw invalidManifest("is no JSON");
  }
  if (given !== undefined && own !== undefined && given !== own) {
    throw invalidManifest(`has media type ${own}, not ${given}`);
  }
  const mediaType = own ?? given;
  if (mediaType === undefined) throw invalidManifest("has no media type");
  return mediaType;
}

function invalidManifest(why: string): Refused {
  return new Refused(
    "InvalidParameterException",
    `Invalid parameter at 'ImageManifest' failed to satisfy constraint: the manifest ${why}`,
  );
}

function pageOf<T>(
  all: readonly T[],
  size: number,
  token: string | undefined,
): { page: readonly T[]; token: string | undefined } {
  const start = token === undefined ? 0 : Number(token);
  const end = start + size;
  return { page: all.slice(start, end), token: end < all.length ? String(end) : undefined };
}
