/**
 * All models, endpoint configurations and endpoints of the box, and how endpoints go on that do not
 * run: step by step, as a test wrote them down, one step with each time that somebody asks about
 * them.
 *
 * @module
 */

import type { Deployment } from "./deployment.ts";
import { Endpoint, type EndpointStatus } from "./endpoint.ts";
import { EndpointConfiguration, Model, type Request } from "./resource.ts";
import type { Invocation } from "./running.ts";

/** A step of an endpoint that does not run. The last one says how it ends. */
export interface EndpointStep {
  /** On the way: `Creating`, `Updating`, `RollingBack`, `SystemUpdating`, `Deleting`. */
  readonly status?: EndpointStatus;
  /** Lines that an instance prints then. */
  readonly log?: readonly string[];
  /** How it ends: `InService` serves (what was pending), or is `Failed`, ... */
  readonly end?: "InService" | "Failed" | "UpdateRollbackFailed" | "gone";
  /** Ends an update: it serves again what it served before. */
  readonly rollback?: boolean;
  /** `FailureReason` */
  readonly reason?: string;
}

/** What a model answers that does not run. */
export interface ScriptedAnswer {
  /** 200 by default; others become ModelErrors. 0: it does not answer in time. */
  readonly status?: number;
  readonly contentType?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Of the stream operation: each is an event. */
  readonly parts?: readonly (string | Uint8Array<ArrayBuffer>)[];
  /** `X-Amzn-SageMaker-Custom-Attributes` */
  readonly customAttributes?: string;
}

/** The log stream of endpoints that do not run has this instance. */
export const SCRIPTED_INSTANCE = "i-0123456789abcdef0";

/** The endpoints of one account in one region. */
export class EndpointStore {
  readonly models = new Map<string, Model>();
  readonly configurations = new Map<string, EndpointConfiguration>();
  readonly endpoints = new Map<string, Endpoint>();
  /** Names of CloudWatch's alarms that ring. */
  readonly alarms = new Set<string>();
  /** What endpoints answer that do not run; without a word of a test, what they were sent. */
  answer: (invocation: Invocation) => ScriptedAnswer | Promise<ScriptedAnswer> = echo;
  readonly #scripts = new Map<string, readonly EndpointStep[]>();
  readonly #left = new Map<Endpoint, EndpointStep[]>();
  #lastTime = 0;

  constructor(
    private readonly log: (group: string, stream: string, lines: readonly string[]) => void,
  ) {}

  /** Adds a model without a check. */
  addModel(name: string, request: Request = {}): Model {
    const model = new Model(name, request, this.now());
    this.models.set(name, model);
    return model;
  }

  /** Adds a configuration without a check. */
  addConfiguration(name: string, request: Request = {}): EndpointConfiguration {
    const configuration = new EndpointConfiguration(name, request, this.now());
    this.configurations.set(name, configuration);
    return configuration;
  }

  /** Adds an endpoint without a check, in Creating. */
  addEndpoint(name: string, request: Request, deployment: Deployment): Endpoint {
    const endpoint = new Endpoint(name, request, deployment, () => this.endpoints.delete(name));
    this.endpoints.set(name, endpoint);
    return endpoint;
  }

  /** The endpoint of that name. @throws Error */
  endpoint(name: string): Endpoint {
    const endpoint = this.endpoints.get(name);
    if (!endpoint) throw new Error(`There is no endpoint ${name}`);
    return endpoint;
  }

  /**
   * Says how an endpoint of that name goes on: what it is doing now, and what is asked of it next
   * (one CreateEndpoint, UpdateEndpoint or DeleteEndpoint). Where nothing is said, it does what is
   * asked with the second DescribeEndpoint after it.
   */
  script(name: string, steps: readonly EndpointStep[]): void {
    const endpoint = this.endpoints.get(name);
    if (endpoint?.isInProgress) this.#left.set(endpoint, [...steps]);
    else this.#scripts.set(name, steps);
  }

  /** An alarm rings: an update that it is to stop goes back. */
  alarm(name: string): void {
    this.alarms.add(name);
  }

  /** Something was asked of an endpoint that does not run. */
  begin(endpoint: Endpoint, otherwise?: readonly EndpointStep[]): void {
    const said = this.#scripts.get(endpoint.name);
    this.#scripts.delete(endpoint.name);
    this.#left.set(endpoint, [...otherwise ?? said ?? [{}, {}]]);
  }

  /** Goes one step on with an endpoint that does not run. */
  advance(endpoint: Endpoint): void {
    throw new Error("not yet" + endpoint.name);
  }

  /** Epoch seconds; no two at the same time, so that lists have one order. */
  now(): number {
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    return this.#lastTime / 1_000;
  }
}

function echo({ headers, body }: Invocation): ScriptedAnswer {
  return { contentType: headers["content-type"], body };
}
