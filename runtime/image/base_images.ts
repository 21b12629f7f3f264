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
import { registryOf } from "../docker/login/login.ts";
import { dockersLogin, pullImage } from "../docker/pull.ts";
import type { Context } from "../context.ts";
import { MlcliError } from "../errors.ts";
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
 * Pulls missing base images, with the logins of `docker login`, and warns of base images that mlcli built for
 * another app.
 *
 * @returns the base images of the stages.
 * @throws MlcliError if a base image cannot be pulled.
 */
export async function pullBaseImages(
  images: readonly BaseImage[],
  engine: Pick<Engine, "image" | "pull">,
  { app, platform: buildPlatform, signal }: Build,
  host: SearchEnvironment & Pick<Context, "messages">,
  onEvent: OnEvent,
): Promise<readonly FromImage[]> {
  const builtUpon: FromImage[] = [];
  for (const wanted of images) {
    const { reference } = wanted;
    // A frontend runs on the engine's own processor.
    const platform = wanted.isFrontend ? undefined : wanted.platform ?? buildPlatform;
    let image = await imageHere(engine, reference, platform, signal);
    if (image !== undefined) {
      const finding = baseImageFinding(app, reference, image);
      if (finding !== undefined) host.messages.tell([finding]);
    } else {
      const login = await dockersLogin(registryOf(reference), host, signal);
      await pull({ ...wanted, platform }, login, engine, signal, onEvent);
      if (wanted.isBuiltUpon) image = await engine.image(reference, signal);
    }
    if (wanted.isBuiltUpon) builtUpon.push({ reference, image });
  }
  return builtUpon;
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

async function pull(
  image: BaseImage,
  login: PullLogin | undefined,
  engine: Pick<Engine, "pull">,
  signal: AbortSignal,
  onEvent: OnEvent,
): Promise<void> {
  const { reference, platform } = image;
  const output = new ClassicOutput(onEvent, {
    first: { id: `pull ${reference}`, name: `Pulling ${reference}` },
  });
  output.begin();
  try {
    const wanted = { reference, platform, login, missingHint: missingHint(image) };
    await pullImage(engine, wanted, signal, (message) => output.add(message));
  } catch (error) {
    output.end(error instanceof MlcliError ? error.message : "");
    throw error;
  }
  output.end();
}

function missingHint({ platform, isFrontend }: BaseImage): string {
  if (isFrontend) {
    return "Remove the line # syntax= from the Dockerfile, so that the engine reads it without this " +
      "image";
  }
  return "Check its name, and that its registry is reachable. To use another base image, set " +
    "--base-image or base_image in NAME.json." +
    (platform === undefined ? "" : ` It must support ${platform}.`);
}
