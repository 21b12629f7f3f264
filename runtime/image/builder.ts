/**
 * What builds an app's image.
 *
 * @module
 */

import type { Builder, Engine } from "../docker/engine.ts";
import { MlcliError } from "../errors.ts";

/** The values of a boolean variable, as the `docker` command reads them (Go's strconv.ParseBool). */
const YES = ["1", "t", "T", "true", "True", "TRUE"];
const NO = ["0", "f", "F", "false", "False", "FALSE"];

/**
 * The engine's builder, or the one that `DOCKER_BUILDKIT` asks for, as it does of the `docker`
 * command. Podman has only its own, and SageMaker Studio allows the classic one alone.
 *
 * @throws MlcliError where the variable has another value than yes or no.
 */
export function chosenBuilder(
  { builder, isPodman, inStudio }: Pick<Engine, "builder" | "isPodman" | "inStudio">,
  env: (name: string) => string | undefined,
): Builder {
  const asked = env("DOCKER_BUILDKIT");
  if (!asked || isPodman || inStudio) return builder;
  if (YES.includes(asked)) return "buildkit";
  if (NO.includes(asked)) return "classic";
  throw new MlcliError(`DOCKER_BUILDKIT must be 1 or 0, and it is "${asked}"`, {
    hint: "Without it the engine's own builder is used: BuildKit, wherever there is one.",
  });
}
