/**
 * SageMaker's words for what it refuses about models, endpoint configurations and endpoints.
 *
 * @module
 */

import { Refused } from "../service.ts";
import type { Endpoint } from "./endpoint.ts";
import { arnOf, type ResourceKind } from "./resource.ts";

/** What SageMaker calls them in its messages. */
const WORDS: Readonly<Record<ResourceKind, string>> = {
  "model": "model",
  "endpoint-config": "endpoint configuration",
  "endpoint": "endpoint",
};

/** A refusal with the code that SageMaker has for most. */
export function invalid(message: string): Refused {
  return new Refused("ValidationException", message);
}

/** There is none of that name. */
export function notFound(kind: ResourceKind, name: string): Refused {
  return invalid(`Could not find ${WORDS[kind]} "${arnOf(kind, name)}".`);
}

/** There is one of that name. */
export function alreadyThere(kind: ResourceKind, name: string): Refused {
  return invalid(`Cannot create already existing ${WORDS[kind]} "${arnOf(kind, name)}".`);
}

/** Something else goes on; DeleteEndpoint says this, too. */
export function inProgress({ arn }: Endpoint): Refused {
  return invalid(`Cannot update in-progress endpoint "${arn}".`);
}
