import { imageReference } from "../../app/app.ts";
import {
  elsewhereFinding,
  platformFinding,
  requireNotBuiltHere,
  requireOwnImage,
} from "../../app/image.ts";
import type { Engine } from "../../docker/engine.ts";
import { type ImageDetails, platformOf, requireImage } from "../../docker/images.ts";
import type { Pull } from "../../docker/pull.ts";
import { MlcliError } from "../../errors.ts";
import { noteText, tell, warningText } from "../../messages.ts";
import type { Host, LocalJob } from "../jobs.ts";
import { protectionOf } from "../container/body.ts";
import { requireNetwork } from "../container/refusals.ts";
import type { Difference } from "../../contract/differences.ts";
import { isBuiltByMlcli } from "../../contract/images.ts";

/**
 * Looks it up, and learns what the container's creation will ask of the engine. One that the app names is
 * pulled where it is not here.
 *
 * @throws MlcliError when it is not there, or is another app's, or the engine lets no container have the network.
 */
export async function imageToRun(
  engine: Engine,
  { app, tag, network, images }: LocalJob,
  host: Pick<Host, "interruption" | "err" | "waiting">,
): Promise<ImageDetails> {
  const { signal } = host.interruption;
  requireNetwork(engine, network);
  // Asked for now, the answer is there when the container is created. A failure shows there, too.
  protectionOf(engine).catch(() => {});
  const reference = imageReference(app, tag);
  const { image: named, platform } = app.configuration;
  if (named !== undefined) {
    const namedBy = await images.requireTrusted();
    const image = await engine.image(named, signal);
    if (image === undefined) {
      return await pulled(engine, { reference: named, platform }, images, host);
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
  { interruption: { signal }, err, waiting = (_text, work) => work }: Pick<
    Host,
    "interruption" | "err" | "waiting"
  >,
): Promise<ImageDetails> {
  // Loaded only where it is needed.
  const { pullImage, PullSize } = await import("../../docker/pull.ts");
  const { registryOf } = await import("../../docker/login/login.ts");
  const { wrongAccount } = await import("../../contract/aws_images.ts");
  const wrong = wrongAccount(reference);
  if (wrong !== undefined) tell(err, warningText(wrong.message, wrong.hint));
  tell(err, noteText(`Pulling ${reference}, which is not here`));
  const size = new PullSize();
  try {
    const login = await images.login(registryOf(reference));
    const wanted = { reference, platform, login, missingHint: MISSING };
    const work = pullImage(engine, wanted, signal, (message) => size.add(message));
    await waiting(() => `Pulling ${reference} ${size.words}`.trimEnd(), work);
  } catch (error) {
    if (!(error instanceof MlcliError)) throw error;
    throw new MlcliError(`Image not found: ${reference}`, {
      quote: error.message,
      hint: error.hint,
      cause: error,
    });
  }
  return await requireImage(engine, reference, signal);
}

const MISSING = "Is its name right, and its registry within reach? A name without a registry is " +
  'Docker Hub\'s. For a machine of another kind, "platform": "linux/amd64" in the app\'s file helps.';

export function imageDifferences(
  { app, tag }: Pick<LocalJob, "app" | "tag">,
  image: ImageDetails,
): readonly Difference[] {
  const reference = imageReference(app, tag);
  return [
    app.configuration.image === undefined ? elsewhereFinding(app, reference, image) : undefined,
    platformFinding(
      { reference, platform: platformOf(image), isOurs: isBuiltByMlcli(image) },
      app.configuration.platform,
    ),
    entryPointDifference(reference, image),
  ].filter((difference) => difference !== undefined);
}

/**
 * A shell need not pass SIGTERM on to what it runs: most replace themselves by a single command,
 * none by a list of them. The platform sends it when a training is stopped, a spot instance
 * reclaimed or an endpoint taken away; here, mostly nobody does.
 *
 * An image without an ENTRYPOINT is no finding: the platform then runs `train` or `serve` from the
 * image's PATH, as AWS's own examples have it, and so does mlcli.
 *
 * Source: AWS, "How Amazon SageMaker AI Runs Your Training Image": the exec form of ENTRYPOINT.
 */
function entryPointDifference(
  reference: string,
  { Config }: ImageDetails,
): Difference | undefined {
  const script = shellScript(Config?.Entrypoint ?? []);
  // What a shell replaces itself by gets the signals.
  if (script === undefined || /^\s*exec\s/.test(script)) return undefined;
  return {
    message: `The ENTRYPOINT of ${reference} is a shell, which need not pass SIGTERM on: ` +
      "what the platform stops may be killed before it has saved anything",
    hint: 'Write it as a list in the Dockerfile, ENTRYPOINT ["PROGRAM", "ARGUMENT"], ' +
      "or let the shell exec the program.",
  };
}

/** `sh`, `bash`, ... with or without a directory. */
const SHELL = /(^|\/)(ba|da|a|k|z)?sh$/;

/** What a shell in the entry point is given to run; others (`tini --`, `env`) may stand before it. */
function shellScript(entryPoint: readonly string[]): string | undefined {
  const shell = entryPoint.findIndex((word) => SHELL.test(word));
  if (shell === -1) return undefined;
  for (let index = shell + 1; index < entryPoint.length; index++) {
    const word = entryPoint[index]!;
    // Alone or with others: -lc, -ec.
    if (/^-[abd-z]*c[a-z]*$/.test(word)) return entryPoint[index + 1];
    if (/^[-+]o$/.test(word)) index++; // and its value: -o pipefail
    else if (!/^[-+]/.test(word)) return undefined; // a file
  }
}
