/** What a build is made of, as far as that is known without an engine. */

import { imageReference } from "../app/app.ts";
import type { Instruction } from "../app/dockerfile/instructions.ts";
import type { BaseImage } from "../app/dockerfile/stages.ts";
import { withoutOptionalMounts } from "../app/dockerfile/template_lines.ts";
import type { Finding } from "../app/image.ts";
import { type NamedDirectory, ownContext } from "../app/named_path.ts";
import type { Context } from "../context.ts";
import { studioOf } from "../docker/locate.ts";
import { valuesOfArguments } from "./build_arguments.ts";
import { type ChosenDockerfile, chosenDockerfile, readDockerfile } from "./chosen_dockerfile.ts";
import { type BuildNetwork, buildNetwork, SWITCHED_OFF } from "./network/build_network.ts";
import { argumentsOfApp, type BuildRequest, checkedRequest, requireBuildable } from "./request.ts";

export interface Preparation {
  /** `name:tag` */
  readonly reference: string;
  /** The context of the user's own; undefined: the app's. */
  readonly own: NamedDirectory | undefined;
  readonly dockerfile: ChosenDockerfile;
  readonly instructions: readonly Instruction[];
  readonly frontend: BaseImage | undefined;
  readonly stage: string | undefined;
  /** Warnings of arguments that nothing uses. */
  readonly unused: readonly Finding[];
  /** The user's and, of the app's context, mlcli's own. */
  readonly buildArguments: Readonly<Record<string, string>>;
  /** Default: the engine's. */
  readonly platform: string | undefined;
  readonly network: BuildNetwork;
}

/** @throws MlcliError where the app lacks something, or the request does not fit the Dockerfile. */
export async function prepare(
  request: BuildRequest,
  host: Pick<Context, "env" | "system">,
): Promise<Preparation> {
  const { app } = request;
  requireBuildable(request);
  const own = await ownContext(app, request.context);
  const chosen = await chosenDockerfile(app, request.dockerfile, own);
  const dockerfile = own || studioOf(host) === undefined ? chosen : await forStudio(chosen);
  const { instructions, frontend } = await readDockerfile(dockerfile);
  return {
    reference: imageReference(app, request.tag),
    own,
    dockerfile,
    instructions,
    frontend,
    ...checkedRequest(request, instructions, dockerfile.shown),
    buildArguments: {
      ...valuesOfArguments(request.buildArguments, host.env),
      ...own ? {} : await argumentsOfApp(request),
    },
    platform: request.platform ?? app.configuration.platform,
    network: request.usesNetworkSettings && !own
      ? await buildNetwork(app, dockerfile.source, host)
      : SWITCHED_OFF,
  };
}

/** SageMaker Studio's builder knows no mounts. */
async function forStudio(dockerfile: ChosenDockerfile): Promise<ChosenDockerfile> {
  const { text } = await readDockerfile(dockerfile);
  return { ...dockerfile, text: withoutOptionalMounts(text) };
}
