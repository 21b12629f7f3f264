import type { App } from "../../app/app.ts";
import { elsewhereFinding, platformFinding, requireOwnImage } from "../../app/image.ts";
import type { Ecr, Repository, StoredImage } from "../../aws/ecr.ts";
import { AwsError, ifAllowed, isRefusal } from "../../aws/errors.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import type { Context } from "../../context.ts";
import { isBuiltByMlcli } from "../../contract/images.ts";
import { DOCKER_MANIFEST } from "../../contract/registry.ts";
import type { Engine } from "../../docker/engine.ts";
import { type ImageDetails, platformOf, requireImage } from "../../docker/images.ts";
import { MlcliError } from "../../errors.ts";
import type { Messages } from "../../messages.ts";
import { connectFor } from "../connection.ts";
import { immutableTagError, type PushTarget } from "./failures.ts";
import {
  hostOf,
  type JobForm,
  jobForm,
  repositoryFor,
  type RepositoryImages,
  requireOwnLogin,
  requireOwnRegistry,
  sameImage,
  storedImage,
} from "./repository.ts";
import type { CloudRequest } from "../start/plan.ts";
import { type PushProgress, sendImage } from "./send.ts";

/** Settings of a push, under the names of their options. */
export interface PushRequest
  extends AwsOptions, Pick<CloudRequest, "app" | "dockerTag" | "repository"> {}

export interface PreparedPush {
  readonly calls: readonly Call[];
  /** Carries it out, and returns `REPOSITORY_URI@sha256:...`. */
  run(): Promise<string>;
}

export type PushHost = Pick<Context, "engine" | "env" | "aws" | "interruption" | "messages">;

/**
 * Checks everything that a push needs, and changes nothing.
 *
 * @throws MlcliError if the image does not exist, if its registry belongs to another account, or if its
 * immutable tag has another image.
 */
export async function preparePush(
  request: PushRequest,
  host: PushHost,
  progress: PushProgress,
): Promise<PreparedPush> {
  const { app, dockerTag: tag, repository: asked } = request;
  const { messages } = host;
  const { image } = app.configuration;
  if (image !== undefined) {
    throw new MlcliError(`Nothing to push: ${app.name}.json sets the existing image ${image}`, {
      hint: "No push is needed: mlcli train uses this image directly from its registry",
    });
  }
  const named = repositoryFor(app, asked);
  const reference = app.image;
  const engine = await host.engine();
  const local = await requireImage(engine, reference, host.interruption.signal);
  requireOwnImage(app, reference, local);
  const finding = elsewhereFinding(app, reference, local);
  if (finding) messages.tell([finding]);
  const platform = wantedPlatform(app, local);
  const ecr = await (await connectFor(app, request, host)).ecr();
  // First, because it fails at once for users who have no permission to push.
  const login = await ecr.authorization();
  const known = await knownRepository(ecr, named.name, login.host, messages);
  const uri = known?.uri ?? `${login.host}/${named.name}`;
  requireOwnRegistry(named, hostOf(uri));
  requireOwnLogin(login.host, hostOf(uri));
  const images = { ecr, repository: named.name };
  const found = known && await lookUp(tag, local, platform, images, messages);
  if (known?.isImmutable && found && !found.isSame) throw immutableTagError(uri, tag);
  // For another platform, the engine might have several images of one name, which only a push shows.
  const isPlatformKnown = platform === platformOf(local);
  const warning = platformWarning(app, reference, local);
  if (warning && isPlatformKnown) messages.tell([warning]);

  const target: PushTarget = { uri, tag, reference };
  const warningOfOne = isPlatformKnown ? undefined : warning;
  const parts = { engine, ecr, local, platform, target, images, messages, progress };
  const push = new Push({ ...parts, warningOfOne });
  return {
    calls: callsOf({ isRepositoryThere: known !== undefined, found, target, name: named.name }),
    run: async () => {
      if (found?.isSame) return await push.finish(found, found.stored.digest);
      if (!known) await push.createRepository(named.name);
      return await push.send(login, host.interruption.signal);
    },
  };
}

interface PushParts {
  readonly engine: Engine;
  readonly ecr: Ecr;
  readonly local: ImageDetails;
  readonly platform: string;
  readonly target: PushTarget;
  readonly images: RepositoryImages;
  readonly messages: Messages;
  readonly progress: PushProgress;
  /** The warning for an image that turns out to be for a single platform. */
  readonly warningOfOne: PlatformFinding | undefined;
}

class Push {
  constructor(private readonly parts: PushParts) {}

  async createRepository(name: string): Promise<void> {
    const { ecr, messages } = this.parts;
    // Before the call: after an interruption, the user knows of it.
    messages.state(`Creating repository ${name} in ${ecr.region.value}`);
    await ecr.createRepository(name);
  }

  /** Sends the image, and gives it the form that SageMaker takes. */
  async send(login: Parameters<typeof sendImage>[1], signal: AbortSignal): Promise<string> {
    const { engine, ecr, local, target, images, messages } = this.parts;
    const { uri, tag, reference } = target;
    messages.state(`Pushing ${reference} to ${uri}:${tag}`);
    const work = { engine, ecr, imageId: local.Id, target, signal, messages };
    const sent = await sendImage(work, login, this.parts.progress);
    if (sent === "immutable") return await this.#afterRefusal();
    let isDenied = false;
    const stored = await ifAllowed(storedImage({ digest: sent }, images), ({ message }) => {
      isDenied = true;
      messages.note(`Cannot check that SageMaker supports the image's manifest: ${message}`);
    });
    if (isDenied) return `${uri}@${sent}`;
    if (!stored) throw notConfirmedError(target, sent);
    const form = await jobForm(stored, this.parts.platform, images);
    return await this.finish({ stored, form, isOfList: form.isOfList }, undefined);
  }

  /** The tag cannot be changed: an error, unless it has this image already. */
  async #afterRefusal(): Promise<string> {
    const { local, platform, target: { uri, tag }, images, messages } = this.parts;
    const found = await lookUp(tag, local, platform, images, messages);
    if (!found?.isSame) throw immutableTagError(uri, tag);
    return await this.finish(found, found.stored.digest);
  }

  /**
   * Puts the form that SageMaker takes, unless the tag has it.
   * @param before the digest that the tag had when nothing was sent.
   */
  async finish(
    { stored, form, isOfList }: {
      readonly stored: StoredImage;
      readonly form: JobForm;
      readonly isOfList: boolean;
    },
    before: string | undefined,
  ): Promise<string> {
    const { target: { uri, tag, reference }, messages, warningOfOne } = this.parts;
    if (warningOfOne && !isOfList) messages.tell([warningOfOne]);
    if (form.digest === stored.digest) {
      if (before !== undefined) messages.state(`Unchanged: ${uri}:${tag} already has ${reference}`);
      return `${uri}@${form.digest}`;
    }
    if (await this.#put(form, tag)) {
      messages.state(
        `Converted the manifest of ${tag} from OCI to Docker format, as SageMaker requires`,
      );
    } else {
      await this.#put(form, undefined);
      messages.state(
        `Tag ${tag} is immutable and keeps an OCI manifest, which SageMaker does not support. ` +
          "Jobs use the image's digest instead.",
      );
    }
    return `${uri}@${form.digest}`;
  }

  /** Whether the image could get the tag. */
  async #put({ manifest, digest }: JobForm, tag: string | undefined): Promise<boolean> {
    const { ecr, images: { repository }, target } = this.parts;
    try {
      const put = await ecr.putImage(repository, { manifest, mediaType: DOCKER_MANIFEST, tag });
      if (put === digest) return true;
      throw notConfirmedError(target, digest);
    } catch (error) {
      if (isRefusal(error, "there already")) return true;
      if (tag !== undefined && isRefusal(error, "in use")) return false;
      throw error;
    }
  }
}

/** The platform that jobs get. */
function wantedPlatform({ configuration }: App, local: ImageDetails): string {
  // Without the variant of `linux/arm64/v8`.
  return (configuration.platform ?? platformOf(local)).split("/").slice(0, 2).join("/");
}

/** Returns the repository. Without the permission to describe it, returns its address as ECR forms it. */
async function knownRepository(
  ecr: Ecr,
  name: string,
  host: string,
  messages: Messages,
): Promise<Repository | undefined> {
  let isDenied = false;
  const repository = await ifAllowed(ecr.repository(name), ({ message }) => {
    isDenied = true;
    messages.note(`Cannot check that repository ${name} exists: ${message}`);
  });
  return isDenied ? { name, uri: `${host}/${name}`, isImmutable: false } : repository;
}

async function lookUp(
  tag: string,
  local: ImageDetails,
  platform: string,
  images: RepositoryImages,
  messages: Messages,
): Promise<Found | undefined> {
  const stored = await ifAllowed(storedImage({ tag }, images), ({ message }) => {
    messages.note(`Cannot check the current image of ${images.repository}:${tag}: ${message}`);
  });
  if (!stored) return undefined;
  try {
    const form = await jobForm(stored, platform, images);
    const same = await sameImage(local, stored, form, platform, images);
    if (same) return { stored, form, isSame: true, ...same };
  } catch (error) {
    // Jobs cannot use the existing image, and the push replaces it.
    if (!(error instanceof MlcliError) || error instanceof AwsError) throw error;
  }
  return { stored, isSame: false };
}

type PlatformFinding = NonNullable<ReturnType<typeof platformFinding>>;

function platformWarning(
  { configuration }: App,
  reference: string,
  local: ImageDetails,
): PlatformFinding | undefined {
  const image = { reference, platform: platformOf(local), isOurs: isBuiltByMlcli(local) };
  return platformFinding(image, configuration.platform);
}

function notConfirmedError({ uri, tag }: PushTarget, digest: string): MlcliError {
  return new MlcliError(`The registry does not contain the pushed image ${uri}@${digest}`, {
    hint: `Another process might be pushing or deleting ${tag}. Push again.`,
  });
}

/** A call that changes something: of AWS, or of the engine. */
export interface Call {
  /** `ecr:CreateRepository`, `docker:ImagePush` */
  readonly action: string;
  readonly input: Readonly<Record<string, string>>;
}

/** What the tag has before the push. */
export type Found =
  | {
    readonly isSame: true;
    readonly stored: StoredImage;
    readonly form: JobForm;
    /** Whether the engine's image is a list of images for several platforms. */
    readonly isOfList: boolean;
  }
  | { readonly isSame: false; readonly stored: StoredImage };

export interface Situation {
  readonly isRepositoryThere: boolean;
  readonly found: Found | undefined;
  readonly target: PushTarget;
  readonly name: string;
}

/**
 * The calls of a push, in order: none where the tag has the image already. (An image that the engine
 * pushes with OCI's manifest is put once more with Docker's, which is known only afterwards.)
 */
export function callsOf({ isRepositoryThere, found, target, name }: Situation): readonly Call[] {
  if (found?.isSame) {
    const { form, stored } = found;
    if (form.digest === stored.digest) return [];
    const input = {
      repositoryName: name,
      imageTag: target.tag,
      imageManifestMediaType: DOCKER_MANIFEST,
      imageManifest: form.manifest,
    };
    return [{ action: "ecr:PutImage", input }];
  }
  const { uri, tag, reference } = target;
  return [
    ...(isRepositoryThere
      ? []
      : [{ action: "ecr:CreateRepository", input: { repositoryName: name } }]),
    { action: "docker:ImagePush", input: { image: reference, name: uri, tag } },
  ];
}
