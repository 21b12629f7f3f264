/** `mlcli build`: an image of the app, made by the engine from the app's Dockerfile. */

import { type App, imageReference } from "../app/app.ts";
import { baseImages, stageOf } from "../app/dockerfile/stages.ts";
import type { Instruction } from "../app/dockerfile/instructions.ts";
import { commonFinding, withoutOptionalMounts } from "../app/dockerfile/template_lines.ts";
import {
  elsewhereFinding,
  type Finding,
  ownerLabels,
  platformFinding,
  requireOwnImage,
} from "../app/image.ts";
import type { Context } from "../context.ts";
import { holdsHarness, isBuiltByMlcli, LABELS } from "../contract/images.ts";
import type { BuildOptions, Engine } from "../docker/engine.ts";
import { platformOf } from "../docker/images.ts";
import { studioOf } from "../docker/locate.ts";
import { MlcliError } from "../errors.ts";
import { VERSION } from "../version.ts";
import { pullBaseImages } from "./base_images.ts";
import { type BuildArgument, unusedArguments, valuesOfArguments } from "./build_arguments.ts";
import { buildContext, requirementsPath } from "./build_context.ts";
import type { BuildEvent } from "./build_events.ts";
import { chosenBuilder, ownerOfContext, requireClassic } from "./builder.ts";
import { type ChosenDockerfile, chosenDockerfile, readDockerfile } from "./chosen_dockerfile.ts";
import { followBuild } from "./build_output.ts";
import { missingSources } from "./missing_sources.ts";
import {
  type BuildNetwork,
  buildNetwork,
  SWITCHED_OFF,
  withBaseImages,
} from "./network/build_network.ts";
import { PipOutput } from "./network/pip_output.ts";

export interface BuildRequest {
  readonly app: App;
  /** Tag of the image; its name is the configuration's. */
  readonly tag: string;
  /** Instead of the configuration's, or the official slim image of its Python version. */
  readonly baseImage: string | undefined;
  /** `linux/amd64`; instead of the configuration's, or the engine's own. */
  readonly platform: string | undefined;
  readonly noCache: boolean;
  /** For the Dockerfile, besides mlcli's own. */
  readonly buildArguments: readonly BuildArgument[];
  /** The stage of the Dockerfile that becomes the image; undefined: the last. */
  readonly target: string | undefined;
  /** Instead of the app's, as the user named it: relative to the current directory. */
  readonly dockerfile: string | undefined;
  /** Whether pip gets what this machine knows of its network. */
  readonly usesNetworkSettings: boolean;
  /** Whether it may take the name of an image that mlcli did not build, or of another app. */
  readonly replace: boolean;
}

export interface Built {
  /** `name:tag` */
  readonly reference: string;
  /** About its platform, and about what the Dockerfile does not copy. */
  readonly warnings: readonly Finding[];
}

export interface BuildReport {
  readonly onEvent: (event: BuildEvent) => void;
  /** Called before the first step with the private files and directories that are left out. */
  readonly onLeftOut: (paths: readonly string[]) => void;
  /** Called before anything is sent. */
  readonly onWarning: (warning: Finding) => void;
  /** Called before anything is sent, with what to tell about this machine's network settings. */
  readonly onNetwork: (network: Pick<BuildNetwork, "warnings" | "secret">) => void;
}

/**
 * Builds the image.
 *
 * @throws MlcliError when a step fails, the app lacks something, or another image would lose its
 * name.
 */
export async function build(
  request: BuildRequest,
  host: Pick<Context, "engine" | "env" | "system" | "interruption">,
  report: BuildReport,
): Promise<Built> {
  const { app } = request;
  const { image } = app.configuration;
  if (image !== undefined) {
    throw new MlcliError(`There is nothing to build: ${app.name}.json names an image, ${image}`, {
      hint: 'mlcli local train pulls and runs it. Without "image", mlcli build makes one of the ' +
        "app's Dockerfile.",
    });
  }
  const reference = imageReference(app, request.tag);
  // Before the engine is asked, so that the user learns at once what is missing in the app.
  const chosen = await chosenDockerfile(app, request.dockerfile);
  const dockerfile = studioOf(host) === undefined ? chosen : await forStudio(chosen);
  const { instructions, frontend } = await readDockerfile(dockerfile);
  const { stage, unused } = checkedRequest(request, instructions, dockerfile.shown);
  let network = request.usesNetworkSettings
    ? await buildNetwork(app, dockerfile.source, host)
    : SWITCHED_OFF;
  const context = rememberingFailure(
    await buildContext(app, report.onLeftOut, {
      dockerfile,
      network: () => network.entries,
      owner: async () => {
        const engine = await host.engine();
        return await ownerOfContext(engine, chosenBuilder(engine, host.env));
      },
    }),
  );
  const engine = await host.engine();
  const elsewhere = !request.replace &&
    await requireOwnName(engine, app, reference, host.interruption.signal);
  [...unused, ...elsewhere ? [elsewhere] : []].forEach(report.onWarning);
  const options: BuildOptions = {
    builder: chosenBuilder(engine, host.env),
    tag: reference,
    dockerfile: dockerfile.path,
    target: stage,
    buildArguments: {
      ...valuesOfArguments(request.buildArguments, host.env),
      BASE_IMAGE: baseImage(request),
      APP: app.name,
      REQUIREMENTS: await requirementsPath(app),
    },
    labels: {
      ...ownerLabels(app),
      [LABELS.version]: VERSION,
      [LABELS.dockerfile]: dockerfile.path,
    },
    platform: request.platform ?? app.configuration.platform,
    noCache: request.noCache,
    context: context.stream,
    signal: host.interruption.signal,
  };
  if (options.builder === "classic" && !engine.isPodman) {
    requireClassic(instructions, dockerfile.shown, engine.inStudio);
  }
  const { images, hasUnknown } = baseImages(instructions, options.buildArguments, stage);
  // Only BuildKit looks for it.
  const wanted = frontend && options.builder === "buildkit" ? [frontend, ...images] : images;
  const bases = await pullBaseImages(wanted, engine, { ...options, app }, host, report.onEvent);
  network = withBaseImages(network, bases, hasUnknown);
  report.onNetwork(network);
  const output = new PipOutput(network);
  try {
    await followBuild(engine, options, (event) => report.onEvent(output.read(event)));
  } catch (error) {
    throw context.failure() ?? await missingSources(error, app, dockerfile) ??
      output.explained(error);
  }
  return { reference, warnings: await warningsOf(engine, app, options, dockerfile) };
}

/** SageMaker Studio's builder knows no mounts. */
async function forStudio(dockerfile: ChosenDockerfile): Promise<ChosenDockerfile> {
  const { text } = await readDockerfile(dockerfile);
  return { ...dockerfile, text: withoutOptionalMounts(text) };
}

/**
 * Checks the request by the Dockerfile.
 *
 * @returns the stage as the Dockerfile spells it, and warnings of arguments that nothing uses.
 * @throws MlcliError when it has no such stage.
 */
function checkedRequest(
  { buildArguments, target }: BuildRequest,
  instructions: readonly Instruction[],
  shown: string,
): { readonly stage: string | undefined; readonly unused: readonly Finding[] } {
  return {
    stage: target === undefined ? undefined : stageOf(instructions, target, shown),
    unused: unusedArguments(buildArguments, instructions).map((name) => ({
      message: `${shown} declares no build argument ${name}: nothing uses it`,
      hint: `A line ARG ${name}, in the stage that uses it, declares it.`,
    })),
  };
}

/** Warnings about the new image; none where the engine does not tell of it. */
async function warningsOf(
  engine: Engine,
  app: App,
  { tag, platform }: BuildOptions,
  { source }: ChosenDockerfile,
): Promise<readonly Finding[]> {
  const image = await engine.image(tag).catch(() => undefined);
  if (image === undefined) return [];
  const built = { reference: tag, platform: platformOf(image), isOurs: true };
  const found = [
    platformFinding(built, platform),
    holdsHarness(image) ? await commonFinding(app, source).catch(() => undefined) : undefined,
  ];
  return found.filter((warning) => warning !== undefined);
}

/**
 * Without `--replace`, the image of another app, or one that mlcli did not build, keeps its name.
 *
 * @returns a warning where the app's image was built in another directory.
 */
async function requireOwnName(
  engine: Engine,
  app: App,
  reference: string,
  signal: AbortSignal,
): Promise<Finding | undefined> {
  const image = await engine.image(reference, signal);
  if (image) requireOwnImage(app, reference, image);
  const finding = image && elsewhereFinding(app, reference, image);
  if (image === undefined || isBuiltByMlcli(image)) return finding;
  throw new MlcliError(`${reference} is there already, and mlcli did not build it`, {
    hint: "--replace gives its name to the new image; another image_name in " +
      `${app.name}.json, or another --docker-tag, leaves it alone. ` +
      "Local commands run it as it is, without mlcli build.",
  });
}

interface ContextStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly failure: () => unknown;
}

/** Keeps a stream's error: the request that sends it fails with an error of the connection. */
function rememberingFailure(stream: ReadableStream<Uint8Array>): ContextStream {
  let failure: unknown;
  async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* stream;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { stream: ReadableStream.from(bytes()), failure: () => failure };
}

function baseImage({ baseImage, app }: BuildRequest): string {
  return baseImage ?? app.configuration.baseImage ??
    `python:${app.configuration.pythonVersion}-slim`;
}
