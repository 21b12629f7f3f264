/**
 * `mlcli build`: an image of the app, made by the engine from the app's Dockerfile.
 *
 * @module
 */

import { type App, imageReference } from "../app/app.ts";
import { commonFinding } from "../app/dockerfile/missing_lines.ts";
import { platformFinding } from "../app/platform.ts";
import type { Context } from "../context.ts";
import type { BuildOptions, Engine } from "../docker/engine.ts";
import { platformOf } from "../docker/image_details.ts";
import { failureOf } from "../docker/messages.ts";
import { MlcliError } from "../errors.ts";
import { holdsHarness, isBuiltByMlcli } from "../images.ts";
import { LABELS } from "../labels.ts";
import { VERSION } from "../version.ts";
import { buildContext } from "./build_context.ts";
import type { BuildEvent } from "./build_events.ts";
import { ClassicOutput } from "./classic_output.ts";
import { dockerfilePath } from "./context_entries.ts";

/** What to build, and how. */
export interface BuildRequest {
  readonly app: App;
  /** Tag of the image; its name is the configuration's. */
  readonly tag: string;
  /** Instead of the configuration's, or the official slim image of its Python version. */
  readonly baseImage: string | undefined;
  /** `linux/amd64`; instead of the configuration's, or the engine's own. */
  readonly platform: string | undefined;
  readonly noCache: boolean;
  /** Whether it may take the name of an image that mlcli did not build. */
  readonly replace: boolean;
}

/** What was built. */
export interface Built {
  /** `name:tag` */
  readonly reference: string;
  /** That the platform cannot run it, or only in part, or that something is not in it. */
  readonly warnings: readonly Warning[];
}

/** A warning, and what to do about it. */
export interface Warning {
  readonly message: string;
  readonly hint: string;
}

/** Who is told how a build goes on. */
export interface BuildReport {
  /** Called with what happens, as it happens. */
  readonly onEvent: (event: BuildEvent) => void;
  /** Called before the first step with the private files and directories that are left out. */
  readonly onLeftOut: (paths: readonly string[]) => void;
}

/**
 * Builds the image.
 *
 * @throws MlcliError when a step fails, the app lacks something, or somebody else's image would lose
 * its name.
 */
export async function build(
  request: BuildRequest,
  host: Pick<Context, "engine" | "interruption">,
  report: BuildReport,
): Promise<Built> {
  const { app } = request;
  const reference = imageReference(app, request.tag);
  // Before the engine is asked, so that the user learns at once what is missing in the app.
  const context = remembered(await buildContext(app, report.onLeftOut));
  const engine = await host.engine();
  if (!request.replace) await requireOwnName(engine, app, reference);
  const options: BuildOptions = {
    tag: reference,
    dockerfile: dockerfilePath(app),
    buildArguments: {
      BASE_IMAGE: baseImage(request),
      APP: app.name,
      REQUIREMENTS: app.configuration.requirements,
    },
    labels: { [LABELS.app]: app.name, [LABELS.version]: VERSION, [LABELS.common]: "1" },
    platform: request.platform ?? app.configuration.platform,
    noCache: request.noCache,
    context: context.stream,
    signal: host.interruption.signal,
  };
  try {
    await followBuild(engine, options, report);
  } catch (error) {
    throw context.failure() ?? error;
  }
  return { reference, warnings: await warningsOf(engine, app, reference, options.platform) };
}

/** What is worth to be said of the image. That it was built matters more than that. */
async function warningsOf(
  engine: Engine,
  app: App,
  reference: string,
  platform: string | undefined,
): Promise<readonly Warning[]> {
  const image = await engine.image(reference).catch(() => undefined);
  if (image === undefined) return [];
  const looked = { reference, platform: platformOf(image), isOurs: true };
  const found = [
    platformFinding(looked, platform),
    holdsHarness(image) ? await commonFinding(app).catch(() => undefined) : undefined,
  ];
  return found.filter((warning) => warning !== undefined);
}

/** An image that somebody made by other means, with AWS's toolkits maybe, has its name only once. */
async function requireOwnName(engine: Engine, app: App, reference: string): Promise<void> {
  const image = await engine.image(reference);
  if (image === undefined || isBuiltByMlcli(image)) return;
  throw new MlcliError(`${reference} is there already, and mlcli did not build it`, {
    hint: "--replace gives its name to the new image; another image_name in " +
      `${app.name}.json, or another --docker-tag, leaves it alone. ` +
      "Local commands run it as it is, without mlcli build.",
  });
}

/** A stream, and the error that it failed with. */
interface RememberedStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly failure: () => unknown;
}

/** Keeps a stream's error: for a request with that body, it becomes an error of the connection. */
function remembered(stream: ReadableStream<Uint8Array>): RememberedStream {
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

async function followBuild(
  engine: Engine,
  options: BuildOptions,
  { onEvent }: BuildReport,
): Promise<void> {
  const output = new ClassicOutput(onEvent);
  let isBuilt = false;
  for await (const message of engine.build(options)) {
    const failure = failureOf(message);
    if (failure !== undefined) {
      output.end(failure);
      throw buildFailed(options, failure);
    }
    output.add(message);
    if (message.aux?.ID) isBuilt = true;
  }
  output.end();
  // An engine that stops half-way ends the stream without an error.
  if (!isBuilt) throw buildFailed(options, "the engine ended the build without an image");
}

function buildFailed(options: BuildOptions, reason: string): MlcliError {
  const base = options.buildArguments["BASE_IMAGE"];
  const noBase =
    /pull access denied|manifest .*(unknown|not found)|failed to resolve|no such host|lookup .* on|connection refused|i\/o timeout|Client\.Timeout|deadline exceeded/i
      .test(reason);
  return new MlcliError(`Build failed: ${reason.trim()}`, {
    hint: noBase
      ? `Is the base image ${base} right, and its registry within reach? --base-image, ` +
        "or base_image in the app's NAME.json, takes another."
      : "What it said is above. Once that is mended, the steps that worked are not done again.",
  });
}
