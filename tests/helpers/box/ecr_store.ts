/**
 * What ECR holds: repositories, images, tags, and the tokens that were given out.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type AccessKey, ACCOUNT, REGION } from "./account.ts";

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
  /** Epoch seconds. */
  readonly pushedAt: number;
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
  readonly resourceTags: Map<string, string>;
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
      resourceTags: new Map(),
    };
    this.repositories.set(name, repository);
    return repository;
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
  keep(repository: Repository, image: Omit<StoredImage, "pushedAt">, tag?: string): void {
    if (!repository.images.has(image.digest)) {
      repository.images.set(image.digest, { ...image, pushedAt: Date.now() / 1_000 });
    }
    if (tag !== undefined) repository.tags.set(tag, image.digest);
  }

  /** The image that a tag or digest stands for. */
  find(repository: Repository, reference: string): StoredImage | undefined {
    return repository.images.get(repository.tags.get(reference) ?? reference);
  }

  /** The tags of an image, in order. */
  tagsOf(repository: Repository, digest: string): string[] {
    return [...repository.tags].filter(([, one]) => one === digest).map(([tag]) => tag).sort();
  }
}

/** ARN of a repository. */
export function repositoryArn(name: string): string {
  return `arn:aws:ecr:${REGION}:${ACCOUNT}:repository/${name}`;
}

/** Digest of some bytes. */
export function digestOf(bytes: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
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
