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
