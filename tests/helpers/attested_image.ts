/**
 * An image with an attestation, as `docker buildx build` makes it by default: an index of OCI's with
 * the image and, for the platform `unknown/unknown`, what is attested of it (BuildKit's
 * documentation, "Image attestation storage").
 */

import { digestOf } from "./box/ecr_store.ts";
import { EngineApi } from "./box/engine_api.ts";
import { gzip, tarOf } from "./tar.ts";

const OCI = "application/vnd.oci.image";

/** A part of the image: what it is, and its bytes. */
interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly bytes: Uint8Array;
}

/** Gives the engine such an image; one without containerd's image store takes the image alone. */
export async function loadAttestedImage(name: string): Promise<void> {
  const tar = tarOf([{ name: "words", content: crypto.randomUUID() }]);
  const layer = blob(`${OCI}.layer.v1.tar+gzip`, await gzip(tar));
  const config = blob(`${OCI}.config.v1+json`, {
    architecture: "amd64",
    os: "linux",
    config: {},
    rootfs: { type: "layers", diff_ids: [digestOf(tar)] },
  });
  const image = blob(`${OCI}.manifest.v1+json`, manifestOf(config, layer));
  const statement = blob("application/vnd.in-toto+json", { _type: "statement" });
  const about = blob(`${OCI}.config.v1+json`, {
    architecture: "unknown",
    os: "unknown",
    config: {},
    rootfs: { type: "layers", diff_ids: [statement.digest] },
  });
  const attestation = blob(`${OCI}.manifest.v1+json`, manifestOf(about, statement));
  const index = blob(`${OCI}.index.v1+json`, {
    schemaVersion: 2,
    mediaType: `${OCI}.index.v1+json`,
    manifests: [
      { ...described(image), platform: { architecture: "amd64", os: "linux" } },
      {
        ...described(attestation),
        annotations: {
          "vnd.docker.reference.digest": image.digest,
          "vnd.docker.reference.type": "attestation-manifest",
        },
        platform: { architecture: "unknown", os: "unknown" },
      },
    ],
  });
  const annotations = { "io.containerd.image.name": `docker.io/library/${name}` };
  const archive = tarOf([
    { name: "oci-layout", content: JSON.stringify({ imageLayoutVersion: "1.0.0" }) },
    {
      name: "index.json",
      content: JSON.stringify({
        schemaVersion: 2,
        mediaType: `${OCI}.index.v1+json`,
        manifests: [{ ...described(index), annotations }],
      }),
    },
    {
      // For engines that know nothing of the rest.
      name: "manifest.json",
      content: JSON.stringify([
        { Config: pathOf(config), RepoTags: [name], Layers: [pathOf(layer)] },
      ]),
    },
    ...[layer, config, image, statement, about, attestation, index]
      .map((one) => ({ name: pathOf(one), content: one.bytes })),
  ]);
  using engine = new EngineApi();
  const answer = await engine.call("POST", "/images/load?quiet=1", { bytes: archive });
  const said = await answer.text();
  if (!said.includes("Loaded image")) throw new Error(`${name} was not loaded: ${said}`);
}

function blob(mediaType: string, content: object | Uint8Array): Blob {
  const bytes = content instanceof Uint8Array
    ? content
    : new TextEncoder().encode(JSON.stringify(content));
  return { mediaType, digest: digestOf(bytes), size: bytes.length, bytes };
}

function manifestOf(config: Blob, layer: Blob): object {
  return {
    schemaVersion: 2,
    mediaType: `${OCI}.manifest.v1+json`,
    config: described(config),
    layers: [described(layer)],
  };
}

function described({ mediaType, digest, size }: Blob): Omit<Blob, "bytes"> {
  return { mediaType, digest, size };
}

function pathOf({ digest }: Blob): string {
  return `blobs/sha256/${digest.slice("sha256:".length)}`;
}
