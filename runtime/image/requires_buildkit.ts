/**
 * What only BuildKit understands in a Dockerfile. (Podman's builder does, too.)
 *
 * @module
 */

import type { Instruction } from "../app/dockerfile/instructions.ts";
import { MlcliError } from "../errors.ts";
import { inOneLine } from "../text.ts";

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
  throw new MlcliError("RUN with options, such as --mount, needs BuildKit", {
    quote: lines.map(({ line, flags }) => inOneLine(`${shown}:${line}: RUN ${flags.join(" ")} ...`))
      .join("\n"),
    hint: inStudio
      ? "Take the options out of these lines: SageMaker Studio's Docker does not allow BuildKit."
      : "Take the options out of these lines; or build by BuildKit: Docker 18.09 and later has " +
        "it, unless DOCKER_BUILDKIT=0 asks for the classic builder.",
  });
}
