/**
 * What a Dockerfile builds upon is pulled before the build. BuildKit would ask mlcli for the login
 * over a session, which mlcli's builds do not have; without one, an older BuildKit (that of Docker
 * 20.10, tried) pulls from no registry that asks for a token, not even public images of Docker Hub.
 */

import type { App } from "../app/app.ts";
import type { BaseImage } from "../app/dockerfile/stages.ts";
import { baseImageFinding } from "../app/image.ts";
import type { BuildOptions, Engine } from "../docker/engine.ts";
import { type ImageDetails, platformOf, type PullLogin } from "../docker/images.ts";
import type { SearchEnvironment } from "../docker/locate.ts";
import { HelperError } from "../docker/login/helper.ts";
import { loginFrom, loginSource, registryOf } from "../docker/login/login.ts";
import { failureOf } from "../docker/messages.ts";
import { EngineError, remedyFor } from "../docker/errors.ts";
import { MlcliError } from "../errors.ts";
import { printable } from "../text.ts";
import type { BuildEvent } from "./build_events.ts";
import { ClassicOutput } from "./build_output.ts";

type OnEvent = (event: BuildEvent) => void;

/** What a build is to be, as far as its base images depend on it. */
interface Build extends Pick<BuildOptions, "platform" | "signal"> {
  readonly app: Pick<App, "name" | "mark">;
}

/** An image that stages begin with. */
export interface NamedImage {
  readonly reference: string;
  /** Undefined where it is not here. */
  readonly image: Pick<ImageDetails, "Config"> | undefined;
}

/**
 * Pulls the images that are not here, with the logins of `docker login`; warns of those that mlcli built
 * here of another app.
 *
 * @returns those that stages begin with.
 * @throws MlcliError where one cannot be had.
 */
export async function pullBaseImages(
  images: readonly BaseImage[],
  engine: Pick<Engine, "image" | "pull">,
  { app, platform: asked, signal }: Build,
  environment: SearchEnvironment,
  onEvent: OnEvent,
): Promise<readonly NamedImage[]> {
  const builtUpon: NamedImage[] = [];
  for (const wanted of images) {
    const { reference } = wanted;
    // What reads the Dockerfile runs on the engine's own processor.
    const platform = wanted.isFrontend ? undefined : wanted.platform ?? asked;
    let image = await imageHere(engine, reference, platform, signal);
    if (image !== undefined) {
      const text = baseImageFinding(app, reference, image);
      if (text !== undefined) onEvent({ kind: "warning", text });
    } else {
      const login = await loginOf(registryOf(reference), environment, signal, onEvent);
      await pull({ ...wanted, platform, login }, engine, signal, onEvent);
      if (wanted.isBuiltUpon) image = await engine.image(reference, signal);
    }
    if (wanted.isBuiltUpon) builtUpon.push({ reference, image });
  }
  return builtUpon;
}

/** A public image needs none: that a helper fails is no error, as with `docker`. */
async function loginOf(
  registry: string,
  environment: SearchEnvironment,
  signal: AbortSignal,
  onEvent: OnEvent,
): Promise<PullLogin | undefined> {
  const source = loginSource(registry, environment);
  if (source === undefined) return undefined;
  try {
    return await loginFrom(source, environment, signal);
  } catch (error) {
    if (!(error instanceof HelperError)) throw error;
    onEvent({ kind: "warning", text: `${error.message}. ${registry} is asked without a login.` });
  }
}

async function imageHere(
  engine: Pick<Engine, "image">,
  reference: string,
  platform: string | undefined,
  signal: AbortSignal,
): Promise<ImageDetails | undefined> {
  const image = await engine.image(reference, signal);
  // Of linux/arm64/v8, the engine says the first two.
  return image && (platform === undefined || `${platform}/`.startsWith(`${platformOf(image)}/`))
    ? image
    : undefined;
}

interface Wanted extends BaseImage {
  readonly login: PullLogin | undefined;
}

async function pull(
  image: Wanted,
  engine: Pick<Engine, "pull">,
  signal: AbortSignal,
  onEvent: OnEvent,
): Promise<void> {
  const { reference, platform, login } = image;
  const output = new ClassicOutput(onEvent, {
    first: { id: `pull ${reference}`, name: `Pulling ${reference}` },
  });
  output.begin();
  try {
    for await (const message of engine.pull(reference, { platform, login, signal })) {
      const failure = failureOf(message);
      if (failure !== undefined) throw pullFailed(image, failure);
      output.add(message);
    }
  } catch (error) {
    const known = error instanceof EngineError ? pullFailed(image, error.reason) : error;
    output.end(known instanceof MlcliError ? known.message : "");
    throw known;
  }
  output.end();
}

/** Words of the engine and of registries that say who may not. */
const REFUSED =
  /unauthorized|authentication required|access denied|no basic auth|incorrect username|token .{0,300}(expired|invalid)|forbidden|\b40[13]\b/i;

function pullFailed(image: Wanted, reason: string): MlcliError {
  return new MlcliError(`Cannot pull ${image.reference}: ${printable(reason.trim())}`, {
    hint: remedyFor(reason) ??
      (REFUSED.test(reason) ? refusalHint(image) : missingHint(image)),
  });
}

function refusalHint({ reference, login }: Wanted): string {
  const registry = registryOf(reference);
  const argument = registry === "docker.io" ? "" : ` ${registry}`;
  return login === undefined
    ? `Is its name right? If it is private: docker login${argument}, then again.`
    : `The login that Docker keeps for ${registry} was sent. docker login${argument} makes ` +
      `another, docker logout${argument} does without.`;
}

function missingHint({ platform, isFrontend }: Wanted): string {
  if (isFrontend) {
    return "The line # syntax= of the Dockerfile asks for it: without the line the engine reads " +
      "the Dockerfile by itself.";
  }
  return "Is its name right, and its registry within reach? --base-image, or base_image in the " +
    "app's NAME.json, takes another." +
    (platform === undefined ? "" : ` It is asked for in the form for ${platform}.`);
}
