/** `mlcli build`: an image of the app, made by the engine from the app's Dockerfile. */

import { baseImages, builtInstructions } from "../app/dockerfile/stages.ts";
import { withoutOptionalMounts } from "../app/dockerfile/template_lines.ts";
import { ownerLabels } from "../app/image.ts";
import { ownContext } from "../app/named_path.ts";
import { filesLabel } from "../app/sources.ts";
import { shellWord } from "../app/typed_path.ts";
import type { TarEntry } from "../archive/writer.ts";
import type { Context } from "../context.ts";
import { LABELS } from "../contract/images.ts";
import type { BuildOptions } from "../docker/engine.ts";
import { defaultPlatform } from "../docker/default_platform.ts";
import { studioOf } from "../docker/locate.ts";
import type { Message } from "../messages.ts";
import { enumerated, inOneLine } from "../text.ts";
import { VERSION } from "../version.ts";
import { pullBaseImages } from "./base_images.ts";
import { valuesOfArguments } from "./build_arguments.ts";
import { contextEntries, contextStream, type OnLeftOut } from "./build_context.ts";
import type { BuildEvent } from "./build_events.ts";
import { chosenBuilder, ownerOfContext, requireClassic } from "./builder.ts";
import { type ChosenDockerfile, chosenDockerfile, readDockerfile } from "./chosen_dockerfile.ts";
import { contentsOf } from "./context_contents.ts";
import { followBuild } from "./build_output.ts";
import { factsOf, requireOwnName } from "./built_image.ts";
import { explainedFailure, StepOutputs } from "./build_failure.ts";
import { missingSources } from "./missing_sources.ts";
import {
  buildNetwork,
  OWN_DOCKERFILE,
  SWITCHED_OFF,
  withBaseImages,
} from "./network/build_network.ts";
import { withoutPasswords } from "./network/addresses.ts";
import { ownContextEntries } from "./own_context.ts";
import { withoutSecrets } from "./secret_mounts.ts";
import { argumentsOfApp, type BuildRequest, checkedRequest, requireBuildable } from "./request.ts";

export interface Built {
  /** `name:tag` */
  readonly reference: string;
  /** Its id, if the engine reports it. */
  readonly id?: string;
  /** Warnings about its platform, and about files that the Dockerfile does not copy. */
  readonly warnings: readonly Message[];
}

/**
 * Builds the image.
 *
 * @throws MlcliError when a step fails, the app lacks something, or another image would lose its
 * name.
 */
export async function build(
  request: BuildRequest,
  host: Pick<Context, "engine" | "env" | "system" | "interruption" | "messages">,
  onEvent: (event: BuildEvent) => void,
): Promise<Built> {
  const { app } = request;
  // Before the call of the engine, so that the user learns at once what the app lacks.
  const { reference, own, dockerfile, instructions, frontend, stage, found, ...prepared } =
    await prepare(request, host);
  let { network } = prepared;
  const owner = async () => {
    const engine = await host.engine();
    return await ownerOfContext(engine, chosenBuilder(engine, host.env));
  };
  const { messages } = host;
  const entries = await prepared.entriesOf(() => network.entries, (paths) => {
    if (paths.length > 0) messages.note(leftOutText(paths));
  });
  const context = rememberingFailure(contextStream(entries, owner));
  const engine = await host.engine();
  const elsewhere = !request.replace &&
    await requireOwnName(engine, app, reference, host.interruption.signal);
  messages.tell([...found, ...elsewhere ? [elsewhere] : []]);
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
    noCache: !request.cache,
    context: context.stream,
    signal: host.interruption.signal,
  };
  if (options.builder === "classic" && !engine.isPodman) {
    requireClassic(instructions, dockerfile.shown, engine.inStudio);
  }
  const { images, hasUnknown } = baseImages(instructions, options.buildArguments, stage);
  // Only BuildKit looks for it.
  const wanted = frontend && options.builder === "buildkit" ? [frontend, ...images] : images;
  const bases = await pullBaseImages(wanted, engine, { ...options, app }, host, onEvent);
  network = withBaseImages(network, bases, hasUnknown);
  messages.tell(network.warnings);
  if (network.secret.length > 0) {
    messages.note(
      `Build steps can mount the credentials in ${
        enumerated(network.secret)
      }, but the image does ` +
        "not store them (to withhold them: --no-network-settings)",
    );
  }
  // Hashed before the files are sent, so that an edit during the build counts as an edit after it. Later
  // commands don't know a typed build context. If the build cannot read a file either, the build reports it.
  const files = request.context?.from !== "typed"
    ? await filesLabel(app, { Config: { Labels: options.labels } }, options.signal)
      .catch(() => undefined)
    : undefined;
  if (files?.note !== undefined) messages.note(files.note);
  const labels = { ...options.labels, [LABELS.files]: files?.label ?? "" };
  const outputs = new StepOutputs(network.passwords);
  try {
    await followBuild(engine, { ...options, labels }, (event) => {
      const shown = event.kind === "log"
        ? { ...event, text: withoutPasswords(event.text, network.passwords) }
        : event;
      outputs.add(shown);
      onEvent(shown);
    });
  } catch (error) {
    throw context.failure() ?? await missingSources(error, app, dockerfile, own) ??
      await explainedFailure(error, outputs, { request, dockerfile, own, network });
  }
  // The variable of the docker command does not mean that the image is for Graviton instances.
  const meant = request.platform;
  return { reference, ...await factsOf(engine, app, { ...options, platform: meant }, dockerfile) };
}

/** How many private files a note names. */
const NAMED = 5;

function leftOutText(paths: readonly string[]): string {
  const names = paths.slice(0, NAMED).map(inOneLine).join(", ");
  const more = paths.length > NAMED ? `, and ${paths.length - NAMED} more` : "";
  return `Excluded from the image as private: ${names}${more}. ` +
    "To include a file, add !PATH to .dockerignore.";
}

/** Returns the plan of `build` for JSON, without connecting to the engine. */
export async function planBuild(
  request: BuildRequest,
  host: Pick<Context, "env" | "system" | "messages">,
): Promise<unknown> {
  const { dockerfile, instructions, stage, buildArguments, network, found, ...prepared } =
    await prepare(request, host);
  const contents = await contentsOf((onLeftOut) =>
    prepared.entriesOf(() => network.entries, onLeftOut)
  );
  host.messages.tell([...found, ...network.warnings]);
  return {
    image: prepared.reference,
    dockerfile: dockerfile.shown,
    target: stage ?? null,
    platform: prepared.platform ?? null,
    base_images: baseImages(instructions, buildArguments, stage).images
      .map(({ reference }) => reference),
    // Names only: the values might be secrets.
    build_arguments: Object.keys(buildArguments).sort(),
    ...contents,
  };
}

/** Checks the request, and returns messages that need no engine. */
async function prepare(request: BuildRequest, host: Pick<Context, "env" | "system">) {
  const { app } = request;
  requireBuildable(request);
  const own = await ownContext(app, request.context);
  const chosen = await chosenDockerfile(app, request.dockerfile, own);
  const given = own || studioOf(host) === undefined ? chosen : await forStudio(chosen);
  const read = await readDockerfile(given);
  const { stage, unused } = checkedRequest(request, read.instructions, given.shown);
  const buildArguments = {
    ...valuesOfArguments(request.buildArg, host.env),
    ...own ? {} : await argumentsOfApp(request),
  };
  const built = builtInstructions(read.instructions, buildArguments, stage);
  const platform = request.platform ?? defaultPlatform(host.env);
  const build = {
    app: app.name.toLowerCase(),
    options: [
      ...stage === undefined ? [] : [`--target ${shellWord(stage)}`],
      ...platform === undefined ? [] : [`--platform ${shellWord(platform)}`],
      // The values can be secrets.
      ...Object.keys(buildArguments).map((name) => `--build-arg ${shellWord(name)}=VALUE`),
    ],
    dockerfile: given.shown,
    context: own?.shown,
  };
  const { text, note } = withoutSecrets(read.text, built, build) ?? {};
  const dockerfile = text === undefined ? given : { ...given, text };
  const { instructions, frontend } = text === undefined ? read : await readDockerfile(dockerfile);
  const found: readonly Message[] = note === undefined
    ? unused
    : [...unused, { level: "note", message: note }];
  return {
    reference: app.image,
    ...{ own, dockerfile, instructions, frontend, stage, buildArguments, platform },
    found,
    network: own
      ? OWN_DOCKERFILE
      : request.networkSettings
      ? await buildNetwork(app, dockerfile.source, host)
      : SWITCHED_OFF,
    entriesOf: (network: () => readonly TarEntry[], onLeftOut: OnLeftOut) =>
      own
        ? ownContextEntries(app, own, dockerfile, onLeftOut)
        : contextEntries(app, onLeftOut, { dockerfile, network }),
  };
}

/** SageMaker Studio's builder knows no mounts. */
async function forStudio(dockerfile: ChosenDockerfile): Promise<ChosenDockerfile> {
  const { text } = await readDockerfile(dockerfile);
  return { ...dockerfile, text: withoutOptionalMounts(text) };
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
