/**
 * What ECR says of repositories, tags and manifests, and how its lists come in pages.
 *
 * @module
 */

import { ACCOUNT } from "./account.ts";
import type { Repository } from "./ecr_store.ts";
import { Refused } from "./service.ts";

/** How an image is named. */
export interface ImageId {
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

/** A page of a list, and the token for the next. */
export function pageOf<T>(
  all: readonly T[],
  size: number,
  token: string | undefined,
): { page: readonly T[]; token: string | undefined } {
  const start = token === undefined ? 0 : Number(token);
  const end = start + size;
  return { page: all.slice(start, end), token: end < all.length ? String(end) : undefined };
}
