/** Which builder builds an app's image, and what only BuildKit and Podman's builder understand. */

import type { Instruction } from "../app/dockerfile/instructions.ts";
import type { Owner } from "../archive/writer.ts";
import type { Builder, Engine } from "../docker/engine.ts";
import { remapsUsers, rootOfNamespace } from "../docker/engine_info.ts";
import { MlcliError } from "../errors.ts";
import { inOneLine } from "../text.ts";

/** The values of a boolean variable, as the `docker` command reads them (Go's strconv.ParseBool). */
const YES = ["1", "t", "T", "true", "True", "TRUE"];
const NO = ["0", "f", "F", "false", "False", "FALSE"];

/**
 * The engine's builder, or the one that `DOCKER_BUILDKIT` asks for, as it does of the `docker`
 * command. Podman has only its own, and SageMaker Studio allows the classic one alone.
 *
 * @throws MlcliError where the variable is no boolean.
 */
export function chosenBuilder(
  { builder, isPodman, inStudio }: Pick<Engine, "builder" | "isPodman" | "inStudio">,
  env: (name: string) => string | undefined,
): Builder {
  const value = env("DOCKER_BUILDKIT");
  if (!value || isPodman || inStudio) return builder;
  if (YES.includes(value)) return "buildkit";
  if (NO.includes(value)) return "classic";
  throw new MlcliError(`DOCKER_BUILDKIT must be 1 or 0, but is "${value}"`, {
    hint: "Set it to 1 for BuildKit or 0 for the classic builder, or unset it to let mlcli choose",
  });
}

/**
 * The owner that the files of a build context need so that they belong to root in the image;
 * `undefined`: root itself.
 *
 * On an engine with a user namespace, BuildKit of Docker 20.10 takes the owners in an archive as
 * users of the machine: files of root would be nobody's in the build, and missing from the layers.
 * Files of the namespace's root become root's, there and with Docker 29.
 *
 * @throws MlcliError where the engine does not say who is root in the namespace.
 */
export async function ownerOfContext(
  engine: Pick<Engine, "isPodman" | "inStudio" | "info">,
  builder: Builder,
): Promise<Owner | undefined> {
  if (builder === "classic" || engine.isPodman || engine.inStudio) return undefined;
  const info = await engine.info();
  if (!remapsUsers(info)) return undefined;
  const root = rootOfNamespace(info);
  if (root !== undefined) return root;
  throw new MlcliError("The Docker Engine did not report the root user of its user namespace", {
    hint: "Set DOCKER_BUILDKIT=0 to use the classic builder, which does not need this user",
  });
}

/**
 * Checks that the classic builder understands a Dockerfile.
 *
 * @param shown its path, as the user would type it.
 * @param inStudio whether the engine is SageMaker Studio's, which has no other.
 * @throws MlcliError that names the lines to change.
 */
export function requireClassic(
  instructions: readonly Instruction[],
  shown: string,
  inStudio: boolean,
): void {
  const lines = instructions.filter(({ name, flags }) => name === "RUN" && flags.length > 0);
  if (lines.length === 0) return;
  throw new MlcliError("RUN with options, such as --mount, requires BuildKit", {
    quote: lines.map(({ line, flags }) => inOneLine(`${shown}:${line}: RUN ${flags.join(" ")} ...`))
      .join("\n"),
    hint: inStudio
      ? "Remove the options from these lines: SageMaker Studio's Docker does not allow BuildKit"
      : "Remove the options from these lines, or use BuildKit (Docker 18.09 or later, without " +
        "DOCKER_BUILDKIT=0)",
  });
}
