/** Images without an engine: as small as they can be, put straight into ECR. */

import { gzip, tarOf } from "../tar.ts";
import type { EcrService } from "./ecr.ts";
import { type Descriptor, digestOf, MANIFEST_TYPES, type Repository } from "./ecr_store.ts";

/** What such an image is like. */
export interface ImageOptions {
  readonly tag?: string;
  /** `amd64` by default. */
  readonly architecture?: string;
  /** Of the manifest: Docker's, or OCI's. */
  readonly format?: "docker" | "oci";
  /** Files of its one layer. */
  readonly files?: Readonly<Record<string, string>>;
  /** Of its configuration: `Entrypoint`, `Labels`, ... */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The layer's media type, where it is another than gzip's. */
  readonly layerType?: string;
}

/** Media types of the parts. */
const PART_TYPES = {
  docker: {
    config: "application/vnd.docker.container.image.v1+json",
    layer: "application/vnd.docker.image.rootfs.diff.tar.gzip",
  },
  oci: {
    config: "application/vnd.oci.image.config.v1+json",
    layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  },
};

/** Puts an image into a repository, as pushing it does. Returns its digest. */
export async function putImage(
  ecr: EcrService,
  repository: Repository,
  { tag, architecture = "amd64", format = "docker", files = {}, config = {}, layerType }:
    ImageOptions = {},
): Promise<string> {
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }));
  const tar = tarOf(entries);
  const layer = await gzip(tar);
  const configuration = new TextEncoder().encode(JSON.stringify({
    architecture,
    os: "linux",
    config,
    rootfs: { type: "layers", diff_ids: [digestOf(tar)] },
  }));
  const types = PART_TYPES[format];
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPES[format],
    config: await put(ecr, repository, types.config, configuration),
    layers: [await put(ecr, repository, layerType ?? types.layer, layer)],
  });
  return await putManifest(ecr, repository, { manifest, mediaType: MANIFEST_TYPES[format], tag });
}

/** Puts a list of images that are there, by their digests; others' parts of builds, too. */
export async function putIndex(
  ecr: EcrService,
  repository: Repository,
  manifests: readonly Readonly<Record<string, unknown>>[],
  { tag, format = "oci" }: Pick<ImageOptions, "tag" | "format"> = {},
): Promise<string> {
  const mediaType = format === "oci" ? MANIFEST_TYPES.ociIndex : MANIFEST_TYPES.dockerList;
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType, manifests });
  return await putManifest(ecr, repository, { manifest, mediaType, tag });
}

/** How an index names an image that is in the repository. */
export function indexed(
  { images }: Repository,
  digest: string,
  platform: { readonly os: string; readonly architecture: string },
  annotations?: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const { manifest, mediaType } = images.get(digest)!;
  const size = new TextEncoder().encode(manifest).length;
  return { mediaType, digest, size, platform, ...(annotations ? { annotations } : {}) };
}

async function put(
  { blobs }: EcrService,
  { name }: Repository,
  mediaType: string,
  bytes: Uint8Array,
): Promise<Descriptor> {
  await blobs.put(name, bytes);
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
}

async function putManifest(
  { blobs, store }: EcrService,
  repository: Repository,
  { manifest, mediaType, tag }: { manifest: string; mediaType: string; tag: string | undefined },
): Promise<string> {
  const image = { digest: digestOf(manifest), manifest, mediaType };
  await blobs.putManifest(repository.name, tag ?? image.digest, image);
  store.keep(repository, image, tag);
  return image.digest;
}
