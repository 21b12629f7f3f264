/**
 * What images in ECR consist of: whether it is there, and where to get it.
 *
 * @module
 */

import { ACCOUNT } from "./account.ts";
import type { Blobs } from "./blobs.ts";
import {
  digestOf,
  type EcrStore,
  isList,
  listedBy,
  partsOf,
  type Repository,
  type StoredImage,
} from "./ecr_store.ts";
import { type BoxRequest, Refused } from "./service.ts";

/** What it has to know. */
export interface EcrParts {
  readonly store: EcrStore;
  readonly blobs: Blobs;
  /** `localhost:PORT` of the front. */
  readonly host: string;
}

/**
 * Checks that all is there that a manifest names.
 * @throws Refused
 */
export async function checkParts(
  { blobs }: EcrParts,
  repository: Repository,
  { manifest, mediaType }: Pick<StoredImage, "manifest" | "mediaType">,
): Promise<void> {
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
    if (await blobs.size(repository.name, digest) === undefined) absent.push(digest);
  }
  if (absent.length === 0) return;
  throw new Refused(
    "LayersNotFoundException",
    `Layers with digests '${absent}' required for pushing image into repository with name ` +
      `'${repository.name}' in the registry with id '${ACCOUNT}' do not exist`,
  );
}

/** BatchCheckLayerAvailability. */
export async function checkLayers(
  { blobs }: EcrParts,
  { repositoryName, layerDigests }: BoxRequest["input"],
): Promise<unknown> {
  const layers: unknown[] = [];
  const failures: unknown[] = [];
  for (const layerDigest of layerDigests as string[]) {
    if (!/^[a-zA-Z0-9-_+.]+:[a-fA-F0-9]+$/.test(layerDigest)) {
      const failureReason = "Invalid parameter at 'layerDigest'";
      failures.push({ layerDigest, failureCode: "InvalidLayerDigest", failureReason });
      continue;
    }
    const size = await blobs.size(repositoryName, layerDigest);
    layers.push({
      layerDigest,
      layerAvailability: size === undefined ? "UNAVAILABLE" : "AVAILABLE",
      layerSize: size,
    });
  }
  return { layers, failures };
}

/**
 * GetDownloadUrlForLayer: an address on the registry's front.
 * @throws Refused
 */
export async function downloadUrl(
  { blobs, host }: EcrParts,
  { repositoryName, layerDigest }: BoxRequest["input"],
): Promise<unknown> {
  if (await blobs.size(repositoryName, layerDigest) === undefined) {
    throw new Refused(
      "LayersNotFoundException",
      `The layer with digest '${layerDigest}' does not exist in the repository with name ` +
        `'${repositoryName}' in registry with id '${ACCOUNT}'`,
    );
  }
  const signature = digestOf(`${repositoryName}@${layerDigest}`).slice("sha256:".length);
  const address =
    `http://${host}/layers/${repositoryName}@${layerDigest}?X-Amz-Signature=${signature}`;
  return { downloadUrl: address, layerDigest };
}
