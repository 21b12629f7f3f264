/**
 * Amazon ECR: its API. Images themselves go through the registry's front (`registry_front.ts`).
 *
 * @module
 */

import { ACCOUNT } from "./account.ts";
import { jsonAnswer } from "./answers.ts";
import { checkLayers, checkParts, downloadUrl, type EcrParts } from "./ecr_layers.ts";
import { ECR_RULES } from "./ecr_rules.ts";
import {
  digestOf,
  isList,
  partsOf,
  type Repository,
  repositoryArn,
  type StoredImage,
} from "./ecr_store.ts";
import { type ImageId, immutableTag, mediaTypeOf, noRepository, pageOf } from "./ecr_words.ts";
import { type BoxRequest, type Permission, Refused, type Service, Unexpected } from "./service.ts";
import { checkInput } from "./validation.ts";

type Input = BoxRequest["input"];

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
    BatchCheckLayerAvailability: (input) => {
      this.#repository(input.repositoryName, input.registryId);
      return checkLayers(this.parts, input);
    },
    GetDownloadUrlForLayer: (input) => {
      this.#repository(input.repositoryName, input.registryId);
      return downloadUrl(this.parts, input);
    },
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
    const image = { digest, manifest: imageManifest, mediaType };
    await checkParts(this.parts, repository, image);
    await this.parts.blobs.putManifest(repositoryName, imageTag ?? digest, image);
    this.parts.store.keep(repository, image, imageTag);
    return { image: this.#whole(repository, image, imageTag) };
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
