/**
 * An image with an attestation, as `docker buildx build` makes it by default: an index of OCI's with
 * the image and, for the platform `unknown/unknown`, what is attested of it (BuildKit's
 * documentation, "Image attestation storage").
 */

import { pack } from "tar-stream";
import { digestOf } from "./box/ecr_store.ts";
import { EngineApi } from "./box/engine_api.ts";

const OCI = "application/vnd.oci.image";

/** A part of the image: what it is, and its bytes. */
interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Gives the engine such an image; one without containerd's image store takes the image alone. */
export async function loadAttestedImage(name: string): Promise<void> {
  const tar = await tarOf({ words: crypto.randomUUID() });
  const layer = blob(`${OCI}.layer.v1.tar+gzip`, await gzipped(tar));
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
  const archive = await tarOf({
    "oci-layout": JSON.stringify({ imageLayoutVersion: "1.0.0" }),
    "index.json": JSON.stringify({
      schemaVersion: 2,
      mediaType: `${OCI}.index.v1+json`,
      manifests: [{ ...described(index), annotations }],
    }),
    // For engines that know nothing of the rest.
    "manifest.json": JSON.stringify([
      { Config: pathOf(config), RepoTags: [name], Layers: [pathOf(layer)] },
    ]),
    ...Object.fromEntries(
      [layer, config, image, statement, about, attestation, index].map((one) =>
        [pathOf(one), one.bytes] as const
      ),
    ),
  });
  using engine = new EngineApi();
  const answer = await engine.call("POST", "/images/load?quiet=1", { bytes: archive });
  const said = await answer.text();
  if (!said.includes("Loaded image")) throw new Error(`${name} was not loaded: ${said}`);
}

function blob(mediaType: string, content: object | Uint8Array<ArrayBuffer>): Blob {
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

async function gzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = ReadableStream.from([bytes]).pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function tarOf(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) {
    // Its types are Node's.
    archive.entry({ name, mtime: new Date(0) }, content as string);
  }
  archive.finalize();
  const stream = ReadableStream.from(archive as AsyncIterable<Uint8Array<ArrayBuffer>>);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
