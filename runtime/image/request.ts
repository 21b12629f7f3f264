/** Options of a build, and conflicts between them. */

import type { App } from "../app/app.ts";
import type { Instruction } from "../app/dockerfile/instructions.ts";
import { stageOf } from "../app/dockerfile/stages.ts";
import { MlcliError, UsageError } from "../errors.ts";
import { type Message, warning } from "../messages.ts";
import type { Setting } from "../setting.ts";
import { type BuildArgument, requireNotOwn, unusedArguments } from "./build_arguments.ts";
import { requirementsPath } from "./build_context.ts";

/** Settings of a build, under the names of their options. */
export interface BuildRequest {
  readonly app: App;
  /** Default: the official slim image of the Python version. */
  readonly baseImage: Setting<string> | undefined;
  /** Such as `linux/amd64`. It wins over `DOCKER_DEFAULT_PLATFORM` and the engine. */
  readonly platform: string | undefined;
  /** Whether the build uses cached steps. */
  readonly cache: boolean;
  /** For the Dockerfile, besides mlcli's own. */
  readonly buildArg: readonly BuildArgument[];
  /** Stage of the Dockerfile that becomes the image; `undefined`: the last. */
  readonly target: string | undefined;
  readonly dockerfile: Setting<string> | undefined;
  /** Directory of the user's own Dockerfile. */
  readonly context: Setting<string> | undefined;
  /** Whether pip gets this machine's network settings. */
  readonly networkSettings: boolean;
  /** Whether the build can replace an image of the same name that mlcli didn't build for the app. */
  readonly replace: boolean;
}

/** @throws MlcliError where an image is named, or what is asked for does not go with a context. */
export function requireBuildable({ app, context, baseImage, buildArg }: BuildRequest): void {
  const { image, context: its } = app.configuration;
  const file = `${app.name}.json`;
  if (image !== undefined) {
    const more = its === undefined ? "" : " as well as a build context";
    throw new MlcliError(`Nothing to build: ${file} sets the existing image ${image}${more}`, {
      hint: its === undefined && context === undefined
        ? "To pull and run the image, run mlcli local train. To build the app's Dockerfile, remove " +
          '"image".'
        : `Remove "image" from ${file} to build from the context` +
          (its === undefined ? "" : ', or "context" to run the image'),
    });
  }
  if (context === undefined) return requireNotOwn(buildArg);
  if (baseImage === undefined || baseImage.from === "file") return;
  throw new UsageError('Option "--base-image" has no effect with your own Dockerfile', {
    hint: "Set the ARG of the Dockerfile's base image: --build-arg NAME=IMAGE",
  });
}

/** What the template's Dockerfile is told. */
export async function argumentsOfApp(request: BuildRequest): Promise<Record<string, string>> {
  return {
    BASE_IMAGE: baseImage(request),
    APP: request.app.name,
    REQUIREMENTS: await requirementsPath(request.app),
  };
}

/**
 * Checks the request against the Dockerfile.
 *
 * @returns the stage as the Dockerfile spells it, and warnings about unused arguments.
 * @throws MlcliError if the Dockerfile has no such stage.
 */
export function checkedRequest(
  { buildArg, target }: BuildRequest,
  instructions: readonly Instruction[],
  shown: string,
): { readonly stage: string | undefined; readonly unused: readonly Message[] } {
  return {
    stage: target === undefined ? undefined : stageOf(instructions, target, shown),
    unused: unusedArguments(buildArg, instructions).map((name) =>
      warning(
        `${shown} does not declare the build argument ${name}, so it has no effect`,
        `Add the line ARG ${name} to the stage that uses it`,
      )
    ),
  };
}

function baseImage({ baseImage, app }: BuildRequest): string {
  return baseImage?.value ?? `python:${app.configuration.pythonVersion}-slim`;
}
