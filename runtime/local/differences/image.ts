import type { App } from "../../app/app.ts";
import {
  elsewhereFinding,
  platformFinding,
  requireNotBuiltHere,
  requireOwnImage,
} from "../../app/image.ts";
import { defaultPlatform } from "../../docker/default_platform.ts";
import type { Engine } from "../../docker/engine.ts";
import { type ImageDetails, platformOf, requireImage } from "../../docker/images.ts";
import type { Pull } from "../../docker/pull.ts";
import { MlcliError } from "../../errors.ts";
import type { Message } from "../../messages.ts";
import type { Host, LocalJob } from "../jobs.ts";
import { protectionOf } from "../container/body.ts";
import { requireNetwork } from "../container/refusals.ts";
import { entryPointDifference } from "../../contract/entry_point.ts";
import { isBuiltByMlcli } from "../../contract/images.ts";

/**
 * Inspects the image, and reads what the creation of its container requires of the engine. Pulls a missing
 * image if the app names one.
 *
 * @param pulls whether mlcli can pull an image.
 * @throws MlcliError if the image does not exist, or is another app's, or if the engine lets no container use
 * the network.
 */
export async function imageToRun(
  engine: Engine,
  { app, network, images }: LocalJob,
  host: Pick<Host, "env" | "interruption" | "messages" | "waiting">,
  pulls = true,
): Promise<ImageDetails> {
  const { signal } = host.interruption;
  requireNetwork(engine, network);
  // Requested now, so that the response is there when the container is created, where a failure is reported.
  protectionOf(engine).catch(() => {});
  const reference = app.image;
  const { image: named, platform } = app.configuration;
  if (named !== undefined) {
    const namedBy = await images.requireTrusted();
    const image = await engine.image(named, signal);
    if (image === undefined && !pulls) {
      throw new MlcliError(`Image not found: ${named}`, { hint: `Pull it: docker pull ${named}` });
    }
    if (image === undefined) {
      const wanted = { reference: named, platform: platform ?? defaultPlatform(host.env) };
      return await pulled(engine, wanted, images, host);
    }
    if (namedBy === "registry") requireNotBuiltHere(app, named, image);
    return image;
  }
  const image = await requireImage(engine, reference, signal);
  requireOwnImage(app, reference, image);
  return image;
}

async function pulled(
  engine: Engine,
  { reference, platform }: Pick<Pull, "reference" | "platform">,
  images: LocalJob["images"],
  { interruption: { signal }, messages, waiting }: Pick<
    Host,
    "interruption" | "messages" | "waiting"
  >,
): Promise<ImageDetails> {
  // Loaded late: most runs need no pull.
  const { pullImage, PullSize } = await import("../../docker/pull.ts");
  const { registryOf } = await import("../../docker/login/login.ts");
  const { wrongAccount } = await import("../../contract/aws_images.ts");
  const wrong = wrongAccount(reference);
  if (wrong !== undefined) messages.tell([wrong]);
  messages.note(`Pulling ${reference} (not found locally)`);
  const size = new PullSize();
  try {
    const login = await images.login(registryOf(reference));
    const wanted = { reference, platform, login, missingHint: missingHint(reference) };
    const work = pullImage(engine, wanted, signal, (message) => size.add(message));
    const words = () => `Pulling ${reference} ${size.words}`.trimEnd();
    await (waiting?.during(words, work) ?? work);
  } catch (error) {
    if (!(error instanceof MlcliError)) throw error;
    throw new MlcliError(`Image not found: ${reference}`, {
      quote: error.message,
      hint: error.hint,
      cause: error,
    });
  }
  return await requireImage(engine, reference, signal, missingHint(reference));
}

function missingHint(reference: string): string {
  return `Check the name, and whether docker pull ${reference} works (after docker login if the ` +
    "registry is private). A name without a registry belongs to Docker Hub. If the image is for " +
    'another platform, set "platform": "linux/amd64" in NAME.json.';
}

export function imageDifferences(app: App, image: ImageDetails): readonly Message[] {
  const reference = app.image;
  return [
    app.configuration.image === undefined ? elsewhereFinding(app, reference, image) : undefined,
    platformFinding(
      {
        reference,
        platform: platformOf(image),
        isOurs: app.configuration.image === undefined && isBuiltByMlcli(image),
      },
      app.configuration.platform,
    ),
    entryPointDifference(reference, image.Config?.Entrypoint ?? []),
  ].filter((difference) => difference !== undefined);
}
