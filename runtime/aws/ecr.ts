import {
  BatchGetImageCommand,
  CreateRepositoryCommand,
  DescribeRepositoriesCommand,
  ECRClient,
  GetAuthorizationTokenCommand,
  GetDownloadUrlForLayerCommand,
  PutImageCommand,
  type Repository as RepositoryAnswer,
} from "@aws-sdk/client-ecr";
import { isRefusal, orNothing } from "./errors.ts";
import { type Answered, strangeAnswer } from "./explanations.ts";
import type { AwsSession } from "./session.ts";
import type { Setting } from "../setting.ts";
import { sha256 } from "../text.ts";

export interface Repository {
  readonly name: string;
  /** `123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn` */
  readonly uri: string;
  /** Whether each tag stays with its first image. */
  readonly isImmutable: boolean;
}

/** A login to the account's registry, for some hours. */
export interface RegistryAuthorization {
  readonly username: string;
  /** A secret. */
  readonly password: string;
  /** `123456789012.dkr.ecr.eu-west-1.amazonaws.com` */
  readonly host: string;
}

/** An image in a repository: its manifest, or the manifest of a list of images. */
export interface StoredImage {
  readonly digest: string;
  readonly mediaType: string;
  /** JSON, byte for byte as it was put. */
  readonly manifest: string;
}

/** What mlcli asks Amazon Elastic Container Registry. Each throws an `AwsError`, or `Interrupted`. */
export interface Ecr {
  readonly region: Setting<string>;
  /** Undefined where there is none of that name. */
  repository(name: string): Promise<Repository | undefined>;
  /** Creates one; no error where somebody else has done so meanwhile. */
  createRepository(name: string): Promise<Repository>;
  /**
   * A new login: earlier ones may have expired.
   * @param account whose registry it is for; by default the caller's own.
   */
  authorization(account?: string): Promise<RegistryAuthorization>;
  /**
   * Undefined where there is none of that name, or no such repository.
   * @param mediaTypes the accepted types of manifests.
   * @param account whose registry it is; by default the caller's own.
   */
  image(
    repository: string,
    name: { readonly tag: string } | { readonly digest: string },
    mediaTypes: readonly string[],
    account?: string,
  ): Promise<StoredImage | undefined>;
  /**
   * The configuration of an image: JSON.
   * @param digest of the configuration, as a manifest names it.
   */
  configuration(repository: string, digest: string, account?: string): Promise<string>;
  /**
   * Puts an image whose layers are there already, and returns its digest. Without a tag, it is found only
   * by its digest. `AwsError`: "there already" where nothing changed; "in use" where the tag has another
   * image and cannot be changed.
   */
  putImage(
    repository: string,
    image: Omit<StoredImage, "digest"> & { readonly tag: string | undefined },
  ): Promise<string>;
}

export async function openEcr(session: AwsSession): Promise<Ecr> {
  const configuration = await session.clientConfiguration("ECR");
  const client = new ECRClient(configuration);
  const { ask, explain, region, signal } = await session.service(client, "ecr");

  async function described(name: string): Promise<Repository> {
    const command = new DescribeRepositoriesCommand({ repositoryNames: [name] });
    const answer = await ask(command, `repository ${name}`);
    return repositoryOf(name, answer.repositories?.[0], answer);
  }

  return {
    region,
    repository: (name) => orNothing(described(name)),

    async createRepository(name) {
      const command = new CreateRepositoryCommand({ repositoryName: name });
      try {
        const answer = await ask(command, `repository ${name}`);
        return repositoryOf(name, answer.repository, answer);
      } catch (error) {
        if (isRefusal(error, "in use")) return await described(name);
        throw error;
      }
    },

    async authorization(account) {
      const input = account === undefined ? {} : { registryIds: [account] };
      const answer = await ask(new GetAuthorizationTokenCommand(input));
      const { authorizationToken, proxyEndpoint } = answer.authorizationData?.[0] ?? {};
      const [, username, password] = /^([^:]+):(.+)$/.exec(decoded(authorizationToken)) ?? [];
      if (!username || !password || !URL.canParse(proxyEndpoint ?? "")) throw strangeAnswer(answer);
      return { username, password, host: new URL(proxyEndpoint!).host };
    },

    async image(repository, name, mediaTypes, account) {
      const command = new BatchGetImageCommand({
        ...(account === undefined ? {} : { registryId: account }),
        repositoryName: repository,
        imageIds: ["tag" in name ? { imageTag: name.tag } : { imageDigest: name.digest }],
        acceptedMediaTypes: [...mediaTypes],
      });
      const answer = await orNothing(ask(command, `repository ${repository}`));
      const { imageId, imageManifest, imageManifestMediaType } = answer?.images?.[0] ?? {};
      if (!imageId?.imageDigest || !imageManifest) return undefined;
      if (!DIGEST.test(imageId.imageDigest)) throw strangeAnswer(answer!);
      const mediaType = imageManifestMediaType ?? ownMediaType(imageManifest);
      return { digest: imageId.imageDigest, mediaType, manifest: imageManifest };
    },

    async configuration(repository, digest, account) {
      const command = new GetDownloadUrlForLayerCommand({
        ...(account === undefined ? {} : { registryId: account }),
        repositoryName: repository,
        layerDigest: digest,
      });
      const answer = await ask(command, `repository ${repository}`);
      if (!URL.canParse(answer.downloadUrl ?? "")) throw strangeAnswer(answer);
      const { protocol, hostname, port, pathname, searchParams } = new URL(answer.downloadUrl!);
      const { response: { body } } = await configuration.requestHandler.handle({
        ...{ method: "GET", protocol, hostname, port: Number(port), path: pathname },
        ...{ query: Object.fromEntries(searchParams), headers: {} },
      }, { abortSignal: signal }).catch((error) => {
        throw explain(error, command, `repository ${repository}`);
      });
      const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : "";
      // Whoever answers: it is what the manifest names, or nothing.
      if (`sha256:${await sha256(text)}` !== digest) throw strangeAnswer(answer);
      return text;
    },

    async putImage(repository, { manifest, mediaType, tag }) {
      const command = new PutImageCommand({
        repositoryName: repository,
        imageManifest: manifest,
        imageManifestMediaType: mediaType,
        ...(tag === undefined ? {} : { imageTag: tag }),
      });
      const answer = await ask(command, `repository ${repository}`);
      const { imageDigest = "" } = answer.image?.imageId ?? {};
      if (!DIGEST.test(imageDigest)) throw strangeAnswer(answer);
      return imageDigest;
    },
  };
}

const DIGEST = /^sha256:[a-f\d]{64}$/;

function repositoryOf(
  name: string,
  answer: RepositoryAnswer | undefined,
  whole: Answered,
): Repository {
  const { repositoryUri: uri, imageTagMutability } = answer ?? {};
  // Checked: it is printed, and the engine sends image and login there.
  if (
    !uri || !/^[A-Za-z\d][A-Za-z\d.-]*(:\d+)?\/$/.test(uri.slice(0, -name.length)) ||
    !uri.endsWith(name)
  ) {
    throw strangeAnswer(whole);
  }
  // Tags may also be mutable, or immutable, but for some: `..._WITH_EXCLUSION`.
  return { name, uri, isImmutable: imageTagMutability === "IMMUTABLE" };
}

/** The text of Base64; empty where it is none. */
function decoded(text: string | undefined): string {
  try {
    return atob(text ?? "");
  } catch {
    return "";
  }
}

/** The type that a manifest states, or nothing. */
function ownMediaType(manifest: string): string {
  try {
    return String(JSON.parse(manifest).mediaType ?? "");
  } catch {
    return "";
  }
}
