/**
 * The platform (Amazon SageMaker) as the rest of mlcli sees it. `client.ts` has the real one; tests
 * have others. Loads nothing.
 *
 * @module
 */

import type { Setting } from "./settings.ts";

/** An endpoint as the list shows it. */
export interface Endpoint {
  readonly name: string;
  /** Whatever the service sends: `InService`, `Updating`, ... */
  readonly status: string;
  readonly creationTime: Date;
}

/** An endpoint with what only a description of it tells. */
export interface EndpointDescription extends Endpoint {
  /** Name of the endpoint configuration in use. */
  readonly configuration: string;
  /** Why the status is `Failed`. */
  readonly failureReason: string | undefined;
  /** Id of the account that it belongs to, where the platform tells. */
  readonly account: string | undefined;
}

/** Which endpoints to list; all of them when empty. */
export interface EndpointFilter {
  readonly status?: string;
  readonly nameContains?: string;
}

/** The operations that mlcli asks for. Each throws a `AwsError`, or `Interrupted`. */
export interface SageMaker {
  /** The region that is asked, and who named it. */
  readonly region: Setting;
  /** Pages of endpoints in the service's order, newest first; the next is asked for when needed. */
  listEndpoints(filter: EndpointFilter): AsyncGenerator<readonly Endpoint[]>;
  describeEndpoint(name: string): Promise<EndpointDescription>;
  /** Returns when the service has begun; the endpoint is gone minutes later. */
  deleteEndpoint(name: string): Promise<void>;
  deleteEndpointConfiguration(name: string): Promise<void>;
  /** Lets go of the connections. */
  close(): void;
}
