/**
 * A platform in memory, for tests of what is done with one.
 *
 * @module
 */

import { PlatformError } from "../../runtime/platform/errors.ts";
import type { EndpointDescription, Platform } from "../../runtime/platform/platform.ts";

/** An endpoint with everything filled in. */
export function endpointNamed(
  name: string,
  values: Partial<EndpointDescription> = {},
): EndpointDescription {
  return {
    name,
    status: "InService",
    creationTime: new Date("2026-03-01T08:30:00.123Z"),
    configuration: `${name}-config`,
    failureReason: undefined,
    account: "123456789012",
    ...values,
  };
}

/** What a description of an endpoint finds. */
export type EndpointState = EndpointDescription | PlatformError | undefined;

/**
 * A platform that has these endpoints. Each description takes the next of the endpoint's states;
 * the last one stays, `undefined` is gone, an error is thrown.
 */
export function memoryPlatform(
  states: Readonly<Record<string, readonly EndpointState[]>> = {},
): Platform {
  const left = new Map(Object.entries(states).map(([name, list]) => [name, [...list]]));
  return {
    region: { value: "eu-west-1", source: "AWS_REGION" },
    async *listEndpoints() {
      await Promise.resolve();
      yield [...left.values()].flatMap(([first]) =>
        first === undefined || first instanceof PlatformError ? [] : first
      );
    },
    describeEndpoint(name) {
      const list = left.get(name) ?? [];
      const current = list.length > 1 ? list.shift() : list[0];
      if (current instanceof PlatformError) return Promise.reject(current);
      return current ? Promise.resolve(current) : Promise.reject(notFound(name));
    },
    deleteEndpoint: () => Promise.resolve(),
    deleteEndpointConfiguration: () => Promise.resolve(),
    close: () => {},
  };
}

function notFound(name: string): PlatformError {
  return new PlatformError("not found", `ResourceNotFound: endpoint ${name}`);
}
