/**
 * The stages of a Dockerfile.
 *
 * @module
 */

import { MlcliError } from "../../errors.ts";
import { enumerated } from "../../text.ts";
import { type Instruction, wordsOf } from "./instructions.ts";

/** The names of the stages, in order; undefined for those without one: `FROM image AS name`. */
export function stagesOf(instructions: readonly Instruction[]): readonly (string | undefined)[] {
  return instructions.filter(({ name }) => name === "FROM").map((instruction) => {
    const [, as, name] = wordsOf(instruction);
    return as?.toLowerCase() === "as" ? name : undefined;
  });
}

/**
 * The stage of this name, in whatever case, or of this number, from 0: as the Dockerfile has it,
 * since Podman minds the case.
 *
 * @param shown the Dockerfile's path.
 * @throws MlcliError that lists those that there are.
 */
export function stageOf(
  instructions: readonly Instruction[],
  target: string,
  shown: string,
): string {
  const stages = stagesOf(instructions);
  const names = stages.filter((stage) => stage !== undefined);
  const named = names.find((stage) => stage.toLowerCase() === target.toLowerCase());
  if (named !== undefined) return named;
  if (/^\d+$/.test(target) && Number(target) < stages.length) return target;
  throw new MlcliError(`Stage not found: ${target}`, {
    hint: names.length === 0
      ? `No stage of ${shown} has a name: FROM IMAGE AS NAME gives it one.`
      : `${shown} has ${enumerated(names)}.`,
  });
}
