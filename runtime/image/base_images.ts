/**
 * Base images are pulled before the build. BuildKit would ask mlcli for the login over a session,
 * which mlcli's builds do not have; without one, the BuildKit of Docker 20.10 pulls from no registry
 * that asks for a token, not even public images of Docker Hub.
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
import { EngineError, hintFor } from "../docker/errors.ts";
import { MlcliError } from "../errors.ts";
import { printable } from "../text.ts";
import type { BuildEvent } from "./build_events.ts";
import { ClassicOutput } from "./build_output.ts";

type OnEvent = (event: BuildEvent) => void;

interface Build extends Pick<BuildOptions, "platform" | "signal"> {
  readonly app: Pick<App, "name" | "mark">;
}

/** An image that a stage begins with. */
export interface FromImage {
  readonly reference: string;
  /** Undefined where the engine does not have it. */
  readonly image: Pick<ImageDetails, "Config"> | undefined;
}

/**
 * Pulls the images that the engine does not have, with the logins of `docker login`, and warns of
 * those that mlcli built of another app.
 *
 * @returns those that stages begin with.
 * @throws MlcliError where one cannot be had.
 */
export async function pullBaseImages(
  images: readonly BaseImage[],
  engine: Pick<Engine, "image" | "pull">,
  { app, platform: buildPlatform, signal }: Build,
  environment: SearchEnvironment,
  onEvent: OnEvent,
): Promise<readonly FromImage[]> {
  const builtUpon: FromImage[] = [];
  for (const wanted of images) {
    const { reference } = wanted;
    // A frontend runs on the engine's own processor.
    const platform = wanted.isFrontend ? undefined : wanted.platform ?? buildPlatform;
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

/** That a helper fails is no error, as with `docker`: a public image needs no login. */
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
  // For linux/arm64/v8, the engine answers linux/arm64.
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

/** Words of engines and registries for a missing permission. */
const REFUSED =
  /unauthorized|authentication required|access denied|no basic auth|incorrect username|token .{0,300}(expired|invalid)|forbidden|\b40[13]\b/i;

function pullFailed(image: Wanted, reason: string): MlcliError {
  return new MlcliError(`Cannot pull ${image.reference}: ${printable(reason.trim())}`, {
    hint: hintFor(reason) ??
      (REFUSED.test(reason) ? refusalHint(image) : missingHint(image)),
  });
}

function refusalHint({ reference, login }: Wanted): string {
  const registry = registryOf(reference);
  const argument = registry === "docker.io" ? "" : ` ${registry}`;
  return login === undefined
    ? `Is its name right? If it is private: docker login${argument}, then again.`
    : `Docker's login for ${registry} was sent. docker login${argument} makes a new one; after ` +
      `docker logout${argument}, none is sent.`;
}

function missingHint({ platform, isFrontend }: Wanted): string {
  if (isFrontend) {
    return "The Dockerfile's line # syntax= asks for it: without that line, the engine reads the " +
      "Dockerfile itself.";
  }
  return "Is its name right, and its registry within reach? --base-image, or base_image in the " +
    "app's NAME.json, takes another." +
    (platform === undefined ? "" : ` The build needs it for ${platform}.`);
}
