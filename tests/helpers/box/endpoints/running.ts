/**
 * What makes endpoints go on by themselves and answer: the box hands it what was asked for. Without
 * one, they go on as their scripts say.
 *
 * @module
 */

import type { Endpoint } from "./endpoint.ts";

/** A request to a model, checked, of an endpoint that is there and serves. */
export interface Invocation {
  readonly endpoint: Endpoint;
  /** `X-Amzn-SageMaker-Target-Variant` */
  readonly targetVariant: string | undefined;
  /**
   * What its container gets besides what the runner adds: `content-type`, `accept`,
   * `x-amzn-sagemaker-custom-attributes`, ... in small letters.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Whether the answer goes on while it comes: InvokeEndpointWithResponseStream. */
  readonly isStreamed: boolean;
}

/** Who answered, and what. */
export interface Invoked {
  /** The container's, as it is; the box makes a ModelError of a status that is not 2xx. */
  readonly answer: Response;
  readonly variant: string;
  /** The log stream of the instance: `AllTraffic/i-...`. */
  readonly stream: string;
}

/** The container did not answer in SageMaker's time. */
export class InvocationTimeout extends Error {
  override name = "InvocationTimeout";
  constructor(readonly stream: string) {
    super("The container did not answer in time");
  }
}

/** Makes endpoints run. The first three return at once. */
export interface EndpointRunner extends AsyncDisposable {
  /**
   * After CreateEndpoint: serves `endpoint.current`, then calls `endpoint.settle()`, or
   * `endpoint.fail(reason)`.
   */
  start(endpoint: Endpoint): void;
  /**
   * After UpdateEndpoint, in Updating: serves `endpoint.pending`, then `endpoint.settle()`, or
   * `endpoint.rollBack(reason)`; before that perhaps `endpoint.enter("RollingBack")`.
   */
  update(endpoint: Endpoint): void;
  /** After DeleteEndpoint, in Deleting: ends all, then `endpoint.settle()`. Also of a Failed one. */
  delete(endpoint: Endpoint): void;
  /** Asks a container. @throws InvocationTimeout */
  invoke(invocation: Invocation): Promise<Invoked>;
}
