/** What ECR holds: repositories, images, tags, and the tokens that were given out. */

import { sha256 } from "../sigv4.ts";
import { type AccessKey, ACCOUNT, REGION } from "./account.ts";
import { Refused } from "./service.ts";

/** Media types of manifests. */
export const MANIFEST_TYPES = {
  docker: "application/vnd.docker.distribution.manifest.v2+json",
  dockerList: "application/vnd.docker.distribution.manifest.list.v2+json",
  oci: "application/vnd.oci.image.manifest.v1+json",
  ociIndex: "application/vnd.oci.image.index.v1+json",
} as const;

/** A part of an image, as a manifest names it. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** An image, or a list of images. */
export interface StoredImage {
  readonly digest: string;
  /** Byte for byte as it was put. */
  readonly manifest: string;
  readonly mediaType: string;
}

/** A repository with its images. */
export interface Repository {
  readonly name: string;
  readonly createdAt: number;
  /** Whether a tag stays with its first image. */
  isImmutable: boolean;
  readonly images: Map<string, StoredImage>;
  /** Tag to digest. */
  readonly tags: Map<string, string>;
}

/** A password for `docker login`. */
export interface Token {
  readonly password: string;
  readonly key: AccessKey;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** So many requests of the registry it is still good for. */
  requestsLeft: number;
}

/** 12 hours, in ms. */
const TOKEN_LIFETIME = 12 * 3_600_000;

/** The repositories of one account in one region. */
export class EcrStore {
  readonly repositories = new Map<string, Repository>();
  readonly tokens = new Map<string, Token>();
  /** How long new tokens are good for, in ms. */
  tokenLifetime = TOKEN_LIFETIME;
  /** How many requests of the registry the next token is good for; it ends in the middle of a push. */
  nextTokenRequests = Infinity;

  /** Adds a repository. */
  add(name: string, { isImmutable = false }: { readonly isImmutable?: boolean } = {}): Repository {
    const repository: Repository = {
      name,
      createdAt: Date.now() / 1_000,
      isImmutable,
      images: new Map(),
      tags: new Map(),
    };
    this.repositories.set(name, repository);
    return repository;
  }

  /** Adds a repository of another account, which lets this one pull; in the registry it has another name. */
  addOf(account: string, name: string): Repository {
    return this.add(nameOf(account, name));
  }

  /** A repository by its name in an account's registry. */
  of(account: string, name: string): Repository | undefined {
    return this.repositories.get(nameOf(account, name));
  }

  /** Gives out a password in the name of a key's owner. */
  issueToken(key: AccessKey): Token {
    const password = `token-that-nobody-may-see-${crypto.randomUUID()}`;
    const expiresAt = Date.now() + this.tokenLifetime;
    const token = { password, key, expiresAt, requestsLeft: this.nextTokenRequests };
    this.nextTokenRequests = Infinity;
    this.tokens.set(password, token);
    return token;
  }

  /** All tokens that were given out are over; new ones are not. */
  expireTokens(): void {
    for (const token of this.tokens.values()) token.expiresAt = 0;
  }

  /** Keeps an image's manifest, and the tag that it was put under. */
  keep(repository: Repository, image: StoredImage, tag?: string): void {
    if (!repository.images.has(image.digest)) repository.images.set(image.digest, image);
    if (tag !== undefined) repository.tags.set(tag, image.digest);
  }

  /** The image that a tag or digest stands for. */
  find(repository: Repository, reference: string): StoredImage | undefined {
    return repository.images.get(repository.tags.get(reference) ?? reference);
  }
}

function nameOf(account: string, name: string): string {
  return account === ACCOUNT ? name : `account-${account}/${name}`;
}

/** ARN of a repository. */
export function repositoryArn(name: string): string {
  return `arn:aws:ecr:${REGION}:${ACCOUNT}:repository/${name}`;
}

/** Digest of some bytes. */
export function digestOf(bytes: string | Uint8Array): string {
  return `sha256:${sha256(bytes)}`;
}

/** What a manifest consists of, apart from other manifests. */
export function partsOf(manifest: string): readonly Descriptor[] {
  const { config, layers = [] } = JSON.parse(manifest);
  return config ? [config, ...layers] : layers;
}

/** The manifests that a list names. */
export function listedBy(manifest: string): readonly Descriptor[] {
  return JSON.parse(manifest).manifests ?? [];
}

/** Whether it is a list of manifests. */
export function isList(mediaType: string): boolean {
  return mediaType === MANIFEST_TYPES.dockerList || mediaType === MANIFEST_TYPES.ociIndex;
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

/**
 * The media type that a manifest says, or that is said of it.
 * @throws Refused where they differ, or there is none.
 */
export function mediaTypeOf(manifest: string, given: string | undefined): string {
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
