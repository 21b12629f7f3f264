/**
 * The names of endpoints and of their configurations.
 *
 * @module
 */

import { UsageError } from "../errors.ts";
import { isResourceName, NAME_LENGTH } from "./limits.ts";

/** @throws UsageError when no endpoint can have that name. */
export function checkEndpointName(name: string): void {
  if (isResourceName(name)) return;
  throw new UsageError(`Endpoint name not valid: "${name}"`, {
    hint: `A name has 1 to ${NAME_LENGTH} letters, digits and hyphens, ` +
      "with no hyphen at its start or end.",
  });
}

/** What `deploy` puts behind an endpoint's name, at most: the name of its second configuration. */
const LONGEST_SUFFIX = "-config-2";

/** How long the name of an endpoint that `deploy` makes may be. */
export const DEPLOYED_NAME_LENGTH = NAME_LENGTH - LONGEST_SUFFIX.length;

/** @throws UsageError when `deploy` cannot give an endpoint that name. */
export function checkDeployedName(name: string): void {
  checkEndpointName(name);
  if (name.length <= DEPLOYED_NAME_LENGTH) return;
  throw new UsageError(
    `Endpoint name too long: "${name}" has ${name.length} characters; ` +
      `deploy takes ${DEPLOYED_NAME_LENGTH}`,
    {
      hint:
        `Its configurations are called NAME-config and NAME${LONGEST_SUFFIX}, and names have at ` +
        `most ${NAME_LENGTH} characters.`,
    },
  );
}

/** @throws UsageError when no endpoint's name could contain the text. */
export function checkNamePart(part: string): void {
  if (part.length <= NAME_LENGTH && /^[a-zA-Z0-9-]+$/.test(part)) return;
  throw new UsageError(`No endpoint's name contains "${part}"`, {
    hint: `Names have at most ${NAME_LENGTH} letters, digits and hyphens.`,
  });
}

/** The configuration that belongs to an endpoint, whether or not there is one. */
export function configurationOf(endpoint: string): string {
  return `${endpoint}-config`;
}

/** Whether something of that name can exist: `-config` may make a name too long. */
export function isPossibleName(name: string): boolean {
  return name.length <= NAME_LENGTH;
}
