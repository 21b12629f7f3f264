/** Repositories of registries, and manifests of images. */

import { MlcliError } from "../errors.ts";

export interface NamedRepository {
  /** The registry, if the name has one: `123456789012.dkr.ecr.eu-west-1.amazonaws.com`. */
  readonly host: string | undefined;
  /** `team/churn` */
  readonly name: string;
}

/** ECR's `RepositoryName` (botocore 1.44.5, `data/ecr/2015-09-21`), 2 to 256 characters. */
const NAME = /^[a-z\d]+((\.|_|__|-+)[a-z\d]+)*(\/[a-z\d]+((\.|_|__|-+)[a-z\d]+)*)*$/;

export const REPOSITORY_EXPECTED =
  "a repository name of 2 to 256 lower-case letters and digits, with single . _ - or / between them";

/** Takes the name of an image without a tag apart; undefined where ECR has no such repository. */
export function parseRepository(text: string): NamedRepository | undefined {
  const { host, name, rest } = parseImageName(text);
  if (rest !== "" || name.length < 2 || name.length > 256 || !NAME.test(name)) return undefined;
  return { host, name };
}

/** Hosts of ECR: the usual one, FIPS, and dual-stack (AWS General Reference, ECR's endpoints). */
const ECR_HOST =
  /^(?<account>\d{12})\.dkr[.-]ecr(-fips)?\.(?<region>[a-z\d-]+)\.(amazonaws\.com(\.cn)?|on\.aws|on\.amazonwebservices\.com\.cn)$/;

/** The registry of public images, which takes no login. */
export const ECR_PUBLIC = "public.ecr.aws";

/** The account and the region of one of ECR's hosts; `undefined` for any other host. */
export function ecrHost(
  host: string,
): { readonly account: string; readonly region: string } | undefined {
  const { account, region } = ECR_HOST.exec(host)?.groups ?? {};
  return account === undefined || region === undefined ? undefined : { account, region };
}

/** A name of an image, taken apart: `HOST/NAME:TAG@DIGEST`. */
export interface ImageName {
  /** `undefined`: Docker Hub. */
  readonly host: string | undefined;
  readonly name: string;
  /** Tag and digest as they are written: `:latest`, `@sha256:...`; empty where there are none. */
  readonly rest: string;
}

/** Takes a name apart as Docker does (github.com/distribution/reference, normalize.go). */
export function parseImageName(image: string): ImageName {
  const [first = "", ...others] = image.split("/");
  const isHost = others.length > 0 && (/[.:A-Z]/.test(first) || first === "localhost");
  const path = isHost ? others.join("/") : image;
  const name = path.split("@")[0]!.replace(/:[^:/]*$/, "");
  return { host: isHost ? first : undefined, name, rest: path.slice(name.length) };
}

/** Where an image lies in ECR, by its name; `undefined` where it lies elsewhere. */
export function ecrImage(image: string): {
  readonly account: string;
  readonly region: string;
  readonly repository: string;
  readonly key: { readonly tag: string } | { readonly digest: string };
} | undefined {
  const { host = "", name: repository, rest } = parseImageName(image);
  const registry = ecrHost(host);
  const [tag = "", digest] = rest.split("@");
  const key = digest === undefined ? { tag: tag.slice(1) || "latest" } : { digest };
  return registry && { ...registry, repository, key };
}

/** Whether two hosts are the same registry: one account's in one region has several names. */
export function isSameRegistry(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map(ecrHost);
  return first !== undefined && first.account === second?.account && first.region === second.region;
}

/**
 * Whether a login for one registry may be sent to another: never one of AWS. (Emulators have several
 * names for their registry.)
 */
export function mayLogIn(login: string, registry: string): boolean {
  return isSameRegistry(login, registry) || !ECR_HOST.test(login);
}

/** Docker's image manifest, version 2, schema 2: what SageMaker takes. */
export const DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
const DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";
const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const OCI_INDEX = "application/vnd.oci.image.index.v1+json";

export const MANIFEST_TYPES: readonly string[] = [
  DOCKER_MANIFEST,
  DOCKER_LIST,
  OCI_MANIFEST,
  OCI_INDEX,
];

/** A part of an image, or an image of a list. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly urls?: readonly string[];
  readonly platform?: { readonly os?: string; readonly architecture?: string };
}

type Manifest =
  | { readonly kind: "image"; readonly config: Descriptor; readonly layers: readonly Descriptor[] }
  | { readonly kind: "list"; readonly manifests: readonly Descriptor[] };

/** @throws MlcliError where it is neither an image nor a list of images. */
export function readManifest(text: string, mediaType: string): Manifest {
  const isList = mediaType === DOCKER_LIST || mediaType === OCI_INDEX;
  try {
    const { config, layers, manifests } = JSON.parse(text);
    if (isList && isDescriptors(manifests)) return { kind: "list", manifests };
    const isImage = mediaType === DOCKER_MANIFEST || mediaType === OCI_MANIFEST;
    if (isImage && isDescriptors([config]) && isDescriptors(layers)) {
      return { kind: "image", config, layers };
    }
  } catch {
    // Falls through to the error.
  }
  throw noImage(`a manifest of type ${mediaType}`);
}

function isDescriptors(value: unknown): value is readonly Descriptor[] {
  return Array.isArray(value) &&
    value.every((one) =>
      typeof one?.mediaType === "string" && typeof one.digest === "string" &&
      typeof one.size === "number"
    );
}

/**
 * The image of a list that runs on a platform (`linux/amd64`). Attestations are for the platform
 * `unknown/unknown` (BuildKit's documentation, "Image attestation storage").
 *
 * @param hint where there is none; by default of an image that `mlcli build` makes.
 * @throws MlcliError where there is none.
 */
export function imageFor(
  platform: string,
  manifests: readonly Descriptor[],
  hint = `Rebuild and push it: mlcli build --platform ${platform} && mlcli push`,
): Descriptor {
  const named = manifests.map((one) => ({ one, its: platformName(one) }));
  const found = named.find(({ its }) => its === platform)?.one;
  if (found) return found;
  const others = [...new Set(named.map(({ its }) => its).filter((its) => its !== UNKNOWN))];
  const supported = others.join(", ");
  const message = supported === ""
    ? `The image names no platform, but ${platform} is required`
    : `The image supports ${supported}, but not ${platform}`;
  throw new MlcliError(message, { hint });
}

const UNKNOWN = "unknown/unknown";

function platformName({ platform }: Descriptor): string {
  return `${platform?.os ?? "unknown"}/${platform?.architecture ?? "unknown"}`;
}

/** Docker's media types for OCI's (github.com/opencontainers/image-spec, media-types.md). */
const DOCKER_TYPES: Readonly<Record<string, string>> = {
  "application/vnd.oci.image.config.v1+json": "application/vnd.docker.container.image.v1+json",
  "application/vnd.oci.image.layer.v1.tar": "application/vnd.docker.image.rootfs.diff.tar",
  "application/vnd.oci.image.layer.v1.tar+gzip":
    "application/vnd.docker.image.rootfs.diff.tar.gzip",
  "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip":
    "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
};

const KNOWN_TYPES: ReadonlySet<string> = new Set(Object.values(DOCKER_TYPES));

/**
 * The same image as a manifest that SageMaker takes: byte for byte what a Docker Engine without
 * OCI's manifests would have written (github.com/distribution/distribution, manifest/schema2).
 *
 * @throws MlcliError where a part has no counterpart there, such as layers packed by zstd.
 */
export function dockerManifest(
  { config, layers }: Extract<Manifest, { readonly kind: "image" }>,
): string {
  const manifest = {
    schemaVersion: 2,
    mediaType: DOCKER_MANIFEST,
    config: dockerPart(config),
    layers: layers.map(dockerPart),
  };
  return JSON.stringify(manifest, null, 3);
}

function dockerPart({ mediaType, size, digest, urls }: Descriptor): Descriptor {
  return {
    mediaType: dockerType(mediaType),
    size,
    digest,
    ...(urls && urls.length > 0 ? { urls } : {}),
  };
}

function dockerType(mediaType: string): string {
  const known = KNOWN_TYPES.has(mediaType) ? mediaType : DOCKER_TYPES[mediaType];
  if (known) return known;
  if (!/zstd/.test(mediaType)) throw noImage(`a layer of type ${mediaType}`);
  throw new MlcliError("The image has zstd layers, which SageMaker does not support", {
    hint: "Rebuild it with mlcli build, or with docker buildx build " +
      "--output type=image,compression=gzip,force-compression=true. If the base image has zstd " +
      "layers, rebuild it first.",
  });
}

function noImage(what: string): MlcliError {
  return new MlcliError(`mlcli does not support the format of this image: ${what}`, {
    hint: "Push the image again. If its tag is immutable, use another one: --docker-tag TAG",
  });
}
