/**
 * Amazon ECR: its API, the front for images, and a registry behind them where a test wants one.
 */

import { ACCOUNT } from "./account.ts";
import { jsonAnswer } from "./answers.ts";
import { type Blobs, MemoryBlobs, RegistryBlobs } from "./blobs.ts";
import {
  digestOf,
  EcrStore,
  immutableTag,
  isList,
  listedBy,
  mediaTypeOf,
  noRepository,
  partsOf,
  type Repository,
  repositoryArn,
  type StoredImage,
} from "./ecr_store.ts";
import { RegistryProcess } from "./registry.ts";
import { RegistryFront } from "./registry_front.ts";
import {
  type BoxRequest,
  type Permission,
  type Platform,
  Refused,
  type Service,
  Unexpected,
} from "./service.ts";
import { checkInput, list, required, type Structure, structure, text } from "./validation.ts";

type Input = BoxRequest["input"];

/**
 * What ECR's service model asks of the input of its operations: botocore 1.44.5,
 * `data/ecr/2015-09-21/service-2.json`, for the members in use.
 */
const registryId = text({ pattern: /[0-9]{12}/ });
const repositoryName = text({
  min: 2,
  max: 256,
  pattern: /[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*/,
});
const imageTag = text({ min: 1, max: 300 });
const repository = { registryId, repositoryName: required(repositoryName) };

const RULES: Readonly<Record<string, Structure>> = {
  DescribeRepositories: structure({
    registryId,
    repositoryNames: required(list(repositoryName, 1, 100)),
  }),
  CreateRepository: structure(repository),
  GetAuthorizationToken: structure({ registryIds: list(registryId, 1, 10) }),
  BatchGetImage: structure({
    ...repository,
    imageIds: required(list(structure({ imageDigest: text(), imageTag }), 1, 100)),
    acceptedMediaTypes: list(text(), 1, 100),
  }),
  GetDownloadUrlForLayer: structure({ ...repository, layerDigest: required(text()) }),
  PutImage: structure({
    ...repository,
    imageManifest: required(text({ min: 1, max: 4_194_304 })),
    imageManifestMediaType: text(),
    imageTag,
    imageDigest: text(),
  }),
};

/** How an image is named. */
interface ImageId {
  readonly imageTag?: string;
  readonly imageDigest?: string;
}

/** What the API has to know. */
export interface EcrParts {
  readonly store: EcrStore;
  readonly blobs: Blobs;
  readonly front: RegistryFront;
}

/** The API of ECR, for one account. */
class Ecr implements Service {
  readonly #operations: Readonly<
    Record<string, (input: Input, request: BoxRequest) => unknown>
  > = {
    DescribeRepositories: (input) => this.#describeRepositories(input),
    CreateRepository: (input) => this.#createRepository(input),
    GetAuthorizationToken: (_, request) => this.#token(request),
    BatchGetImage: (input) => this.#getImages(input),
    GetDownloadUrlForLayer: (input) => this.#downloadUrl(input),
    PutImage: (input) => this.#putImage(input),
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
    checkInput(RULES[operation]!, input, "InvalidParameterException");
    return jsonAnswer(await work(input, request));
  }

  #describeRepositories({ registryId, repositoryNames }: Input) {
    return {
      repositories: repositoryNames.map((name: string) =>
        this.#summary(this.#repository(name, registryId))
      ),
    };
  }

  #createRepository({ repositoryName }: Input) {
    const { store } = this.parts;
    if (store.repositories.has(repositoryName)) {
      throw new Refused(
        "RepositoryAlreadyExistsException",
        `The repository with name '${repositoryName}' already exists in the registry with id ` +
          `'${ACCOUNT}'`,
      );
    }
    return { repository: this.#summary(store.add(repositoryName)) };
  }

  #token({ key }: BoxRequest) {
    const { password, expiresAt } = this.parts.store.issueToken(key);
    return {
      authorizationData: [{
        authorizationToken: btoa(`AWS:${password}`),
        expiresAt: expiresAt / 1_000,
        proxyEndpoint: `http://${this.parts.front.host}`,
      }],
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

  /** For who has it, without a login, as S3's are. */
  async #downloadUrl({ repositoryName, registryId, layerDigest }: Input) {
    const { name } = this.#repository(repositoryName, registryId);
    const bytes = await this.parts.blobs.get(name, layerDigest);
    if (bytes === undefined) {
      throw new Refused("LayersNotFoundException", `The layer ${layerDigest} does not exist`);
    }
    return { downloadUrl: this.parts.front.offer(bytes), layerDigest };
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
    await this.#checkParts(repository, image);
    await this.parts.blobs.putManifest(repositoryName, imageTag ?? digest, image);
    this.parts.store.keep(repository, image, imageTag);
    return { image: this.#whole(repository, image, imageTag) };
  }

  /** @throws Refused where something is not there that a manifest names. */
  async #checkParts(
    { name, images }: Repository,
    { manifest, mediaType }: StoredImage,
  ): Promise<void> {
    const refused = (code: string, what: string, digests: readonly string[]): Refused =>
      new Refused(
        code,
        `${what} with digests '${digests}' required for pushing image into repository with name ` +
          `'${name}' in the registry with id '${ACCOUNT}' do not exist`,
      );
    const missing = listedBy(manifest).map(({ digest }) => digest)
      .filter((digest) => !images.has(digest));
    if (isList(mediaType) && missing.length > 0) {
      throw refused("ReferencedImagesNotFoundException", "Images", missing);
    }
    const absent: string[] = [];
    for (const { digest } of partsOf(manifest)) {
      if (await this.parts.blobs.size(name, digest) === undefined) absent.push(digest);
    }
    if (absent.length > 0) throw refused("LayersNotFoundException", "Layers", absent);
  }

  #repository(name: string, registryId = ACCOUNT): Repository {
    const repository = this.parts.store.of(registryId, name);
    if (repository) return repository;
    throw new Refused("RepositoryNotFoundException", noRepository(name, registryId));
  }

  #find(repository: Repository, { imageTag, imageDigest }: ImageId): StoredImage | undefined {
    if (imageTag === undefined) return repository.images.get(imageDigest ?? "");
    const digest = repository.tags.get(imageTag);
    if (imageDigest !== undefined && imageDigest !== digest) return undefined;
    return repository.images.get(digest ?? "");
  }

  #summary({ name, createdAt, isImmutable }: Repository) {
    return {
      repositoryArn: repositoryArn(name),
      registryId: ACCOUNT,
      repositoryName: name,
      repositoryUri: `${this.parts.front.host}/${name}`,
      createdAt,
      imageTagMutability: isImmutable ? "IMMUTABLE" : "MUTABLE",
      imageScanningConfiguration: { scanOnPush: false },
      encryptionConfiguration: { encryptionType: "AES256" },
    };
  }

  #whole(
    repository: Repository,
    { digest, manifest, mediaType }: StoredImage,
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

/** ECR as a whole. */
export class EcrService implements Service, AsyncDisposable {
  readonly #api: Ecr;

  private constructor(
    readonly blobs: Blobs,
    /** Where images are pushed to and pulled from. */
    readonly front: RegistryFront,
    readonly store: EcrStore,
    readonly registry: RegistryProcess | undefined,
  ) {
    this.#api = new Ecr({ store, blobs, front });
  }

  /**
   * Starts it.
   * @throws Error where the registry does not start.
   */
  static async open(
    platform: Pick<Platform, "faults" | "problem">,
    { registry: isWanted = false }: { readonly registry?: boolean },
  ): Promise<EcrService> {
    const registry = isWanted ? await RegistryProcess.start() : undefined;
    const blobs = registry ? new RegistryBlobs(registry) : new MemoryBlobs();
    const store = new EcrStore();
    const front = new RegistryFront({ platform, store, registry });
    return new EcrService(blobs, front, store, registry);
  }

  permission(request: BoxRequest): Permission {
    return this.#api.permission(request);
  }

  handle(request: BoxRequest): Promise<Response> {
    return this.#api.handle(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.front[Symbol.asyncDispose]();
    await this.blobs[Symbol.asyncDispose]();
    await this.registry?.[Symbol.asyncDispose]();
  }
}
