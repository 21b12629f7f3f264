/** `mlcli build`: an image of the app, made by the engine from the app's Dockerfile. */

import { baseImages } from "../app/dockerfile/stages.ts";
import { type Finding, ownerLabels } from "../app/image.ts";
import type { Context } from "../context.ts";
import { LABELS } from "../contract/images.ts";
import type { BuildOptions } from "../docker/engine.ts";
import { VERSION } from "../version.ts";
import { pullBaseImages } from "./base_images.ts";
import { buildContext, contextStream } from "./build_context.ts";
import type { BuildEvent } from "./build_events.ts";
import { chosenBuilder, ownerOfContext, requireClassic } from "./builder.ts";
import { followBuild } from "./build_output.ts";
import { factsOf, requireOwnName } from "./built_image.ts";
import { missingSources } from "./missing_sources.ts";
import { type BuildNetwork, withBaseImages } from "./network/build_network.ts";
import { PipOutput } from "./network/pip_output.ts";
import { ownContextEntries } from "./own_context.ts";
import { prepare } from "./prepare.ts";
import type { BuildRequest } from "./request.ts";

export interface Built {
  /** `name:tag` */
  readonly reference: string;
  /** Its id, where the engine tells. */
  readonly id?: string;
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
  // Before the engine is asked, so that the user learns at once what is missing in the app.
  const { reference, own, dockerfile, instructions, frontend, stage, unused, ...prepared } =
    await prepare(request, host);
  let { network } = prepared;
  const owner = async () => {
    const engine = await host.engine();
    return await ownerOfContext(engine, chosenBuilder(engine, host.env));
  };
  const { onLeftOut } = report;
  const context = rememberingFailure(
    own
      ? contextStream(await ownContextEntries(app, own, dockerfile, onLeftOut), owner)
      : await buildContext(app, onLeftOut, { dockerfile, network: () => network.entries, owner }),
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
    buildArguments: prepared.buildArguments,
    labels: {
      ...ownerLabels(app),
      [LABELS.version]: VERSION,
      [LABELS.dockerfile]: dockerfile.path,
      [LABELS.context]: own ? "own" : "app",
    },
    platform: prepared.platform,
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
    throw context.failure() ?? await missingSources(error, app, dockerfile, own) ??
      output.explained(error);
  }
  return { reference, ...await factsOf(engine, app, options, dockerfile) };
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
