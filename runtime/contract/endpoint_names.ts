/**
 * The names of endpoints and of their configurations.
 *
 * @module
 */

import { UsageError } from "../errors.ts";

/** `EndpointName` in SageMaker's API reference; `EndpointConfigName` is the same. */
const NAME = /^[a-zA-Z0-9](-*[a-zA-Z0-9])*$/;
const LONGEST_NAME = 63;

/** @throws UsageError when no endpoint can have that name. */
export function checkEndpointName(name: string): void {
  if (name.length <= LONGEST_NAME && NAME.test(name)) return;
  throw new UsageError(`Endpoint name not valid: "${name}"`, {
    hint: `A name has 1 to ${LONGEST_NAME} letters, digits and hyphens, ` +
      "with no hyphen at its start or end.",
  });
}

/** @throws UsageError when no endpoint's name could contain the text. */
export function checkNamePart(part: string): void {
  if (part.length <= LONGEST_NAME && /^[a-zA-Z0-9-]+$/.test(part)) return;
  throw new UsageError(`No endpoint's name contains "${part}"`, {
    hint: `Names have at most ${LONGEST_NAME} letters, digits and hyphens.`,
  });
}

/** The configuration that belongs to an endpoint, whether or not there is one. */
export function configurationOf(endpoint: string): string {
  return `${endpoint}-config`;
}

/** Whether something of that name can exist: `-config` may make a name too long. */
export function isPossibleName(name: string): boolean {
  return name.length <= LONGEST_NAME;
}
