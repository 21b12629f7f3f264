/**
 * All models, endpoint configurations and endpoints of the box, and how endpoints go on that do not
 * run: step by step, as a test wrote them down, one step with each time that somebody asks about
 * them.
 */

import { ACCOUNT, REGION } from "../account.ts";
import { EXECUTION_ROLE } from "../jobs/job_store.ts";
import { alarmsOf } from "./checks.ts";
import { Endpoint, type EndpointStatus } from "./endpoint.ts";
import type { Invocation } from "./invocations.ts";
import {
  ByName,
  type Deployment,
  EndpointConfiguration,
  Model,
  type Request,
  type Resource,
  Variant,
} from "./resource.ts";
import { alarmed } from "./words.ts";

/** A step of an endpoint that does not run: a status, or more. The last one says how it ends. */
export type EndpointStep = EndpointStatus | EndpointChange;

/** More than a status. */
export interface EndpointChange {
  /** On the way: `Updating`, `RollingBack`, `SystemUpdating`. */
  readonly status?: EndpointStatus;
  /** Lines that an instance prints then: of the first variant's first instance, or by stream. */
  readonly log?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** How it ends: `InService` serves what was pending; `gone` is deleted. */
  readonly end?: EndpointStatus | "gone";
  /** Ends an update: it serves again what it served before. */
  readonly rollback?: boolean;
  /** `FailureReason`; a rollback may have none. */
  readonly reason?: string;
}

/** What a model answers that does not run. */
export interface ScriptedAnswer {
  /** 200 by default; others become ModelErrors. 0: it does not answer in time. */
  readonly status?: number;
  readonly contentType?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Instead of the body: of the stream operation, each is an event. */
  readonly parts?: readonly (string | Uint8Array<ArrayBuffer>)[];
  /** After the parts, the stream breaks off with this `ErrorCode`. */
  readonly breaks?: "StreamBroken" | "ModelInvocationTimeExceeded";
  /** `X-Amzn-SageMaker-Custom-Attributes` */
  readonly customAttributes?: string;
}

/** What an endpoint is like that a test adds. */
export interface AddedEndpoint {
  /** Names; `NAME-config` and `NAME-model` by default. What is there by that name is taken. */
  readonly configuration?: string;
  readonly model?: string;
  readonly image?: string;
  /** More of the model's container: `Environment`, `ModelDataUrl`. */
  readonly container?: Request;
  /** Of the variant; without it one instance of ml.m5.large. */
  readonly variant?: Request;
  /** More of the configuration: `DataCaptureConfig`, `KmsKeyId`, `Tags`. */
  readonly settings?: Request;
  readonly tags?: Readonly<Record<string, string>>;
  /** `InService` by default. */
  readonly status?: EndpointStatus;
  /** `FailureReason` */
  readonly reason?: string;
  /** Epoch seconds; now by default. Its configuration and its model are as old. */
  readonly creationTime?: number;
}

const IMAGE = `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/app@sha256:${"0".repeat(64)}`;

/** The log stream of endpoints that do not run has this instance. */
export const SCRIPTED_INSTANCE = "i-0123456789abcdef0";

/** The endpoints of one account in one region. */
export class EndpointStore {
  readonly models = new ByName<Model>();
  readonly configurations = new ByName<EndpointConfiguration>();
  readonly endpoints = new ByName<Endpoint>();
  /** Names of CloudWatch's alarms that ring. */
  readonly alarms = new Set<string>();
  /** What endpoints answer that do not run; without a word of a test, what they were sent. */
  answer: (invocation: Invocation) => ScriptedAnswer | Promise<ScriptedAnswer> = echo;
  /** Endpoints that do not run are gone as soon as they are deleted, without a `Deleting`. */
  deletesAtOnce = false;
  readonly #scripts = new Map<string, (readonly EndpointStep[])[]>();
  readonly #left = new Map<Endpoint, EndpointStep[]>();
  #lastTime = 0;

  constructor(
    private readonly log: (group: string, stream: string, lines: readonly string[]) => void,
  ) {}

  /** Adds a model without a check. */
  addModel(name: string, request: Request = {}, creationTime = this.now()): Model {
    const model = new Model(name, request, creationTime);
    this.models.set(name, model);
    return model;
  }

  /** Adds a configuration without a check. */
  addConfiguration(
    name: string,
    request: Request = {},
    creationTime = this.now(),
  ): EndpointConfiguration {
    const configuration = new EndpointConfiguration(name, request, creationTime);
    this.configurations.set(name, configuration);
    return configuration;
  }

  /** Adds an endpoint without a check, in Creating. */
  addEndpoint(name: string, request: Request, deployment: Deployment): Endpoint {
    const endpoint = new Endpoint(name, request, deployment, () => this.endpoints.delete(name));
    this.endpoints.set(name, endpoint);
    return endpoint;
  }

  /**
   * Adds an endpoint that is in service, or in another status, with a configuration and a model of
   * one variant: as if somebody had deployed it before.
   */
  add(name: string, options: AddedEndpoint = {}): Endpoint {
    const { configuration = `${name}-config`, model = `${name}-model`, image = IMAGE } = options;
    const known = this.models.get(model) ?? this.addModel(model, {
      ModelName: model,
      PrimaryContainer: { Image: image, ...options.container },
      ExecutionRoleArn: EXECUTION_ROLE,
    }, options.creationTime);
    const variant = options.variant ?? { InstanceType: "ml.m5.large", InitialInstanceCount: 1 };
    const served = this.configurations.get(configuration) ?? this.addConfiguration(configuration, {
      EndpointConfigName: configuration,
      ProductionVariants: [
        { VariantName: "AllTraffic", ModelName: model, InitialVariantWeight: 1, ...variant },
      ],
      ...options.settings,
    }, options.creationTime);
    const startTime = options.creationTime ?? this.now();
    const endpoint = this.addEndpoint(name, {}, {
      configuration: served,
      variants: served.variants.map((one) => new Variant(one, known, image, startTime)),
      policy: undefined,
      dataCapture: served.request.DataCaptureConfig,
      startTime,
    });
    for (const [tag, value] of Object.entries(options.tags ?? {})) endpoint.tags.set(tag, value);
    const { status = "InService", reason } = options;
    if (status === "Failed") endpoint.fail(reason);
    else if (status !== "Creating") endpoint.settle();
    if (endpoint.status !== status) endpoint.enter(status);
    endpoint.failureReason = reason;
    return endpoint;
  }

  /** All that have tags. */
  get all(): readonly Resource[] {
    const { models, configurations, endpoints } = this;
    return [...models.values(), ...configurations.values(), ...endpoints.values()];
  }

  /** The endpoint of that name. @throws Error */
  endpoint(name: string): Endpoint {
    const endpoint = this.endpoints.get(name);
    if (!endpoint) throw new Error(`There is no endpoint ${name}`);
    return endpoint;
  }

  /**
   * Says how an endpoint of that name goes on: with what it is doing now, or else with what is asked
   * of it next (one CreateEndpoint, UpdateEndpoint or DeleteEndpoint; said twice, the next two).
   * One step comes with each DescribeEndpoint, after its answer. Where nothing is said, it has done
   * what was asked when it is described for the second time.
   */
  script(name: string, steps: readonly EndpointStep[]): void {
    const endpoint = this.endpoints.get(name);
    if (endpoint?.isInProgress) this.#left.set(endpoint, [...steps]);
    else this.#scripts.set(name, [...this.#scripts.get(name) ?? [], steps]);
  }

  /** An alarm rings: an update that it is to stop goes back. */
  alarm(name: string): void {
    this.alarms.add(name);
  }

  /** Something was asked of an endpoint that does not run. */
  begin(endpoint: Endpoint, otherwise?: readonly EndpointStep[]): void {
    if (this.deletesAtOnce && endpoint.status === "Deleting") return endpoint.settle();
    const said = this.#scripts.get(endpoint.name)?.shift();
    const end = endpoint.status === "Deleting" ? "gone" : "InService";
    this.#left.set(endpoint, [...said ?? otherwise ?? [{ end }]]);
  }

  /** Goes one step on with an endpoint that does not run. */
  advance(endpoint: Endpoint): void {
    const ringing = alarmsOf(endpoint.pending?.policy).filter((name) => this.alarms.has(name));
    if (endpoint.status === "Updating" && ringing.length > 0) {
      this.#left.set(endpoint, [{ rollback: true, reason: alarmed(ringing) }]);
    }
    const step = endpoint.isInProgress ? this.#left.get(endpoint)?.shift() : undefined;
    if (step === undefined) return endpoint.follow();
    this.#go(endpoint, typeof step === "string" ? { status: step } : step);
  }

  #go(endpoint: Endpoint, change: EndpointChange): void {
    const { log = [] } = change;
    const byStream = Array.isArray(log) ? { [endpoint.logStream(SCRIPTED_INSTANCE)]: log } : log;
    applyChange(endpoint, change);
    // Only now: a stream must not be older than the change of the endpoint that it comes with.
    for (const [stream, lines] of Object.entries(byStream)) {
      if (lines.length > 0) this.log(endpoint.logGroup, stream, lines);
    }
  }

  /**
   * Epoch seconds: no two in the same millisecond, so that what is made anew is another one also for
   * who sees no more of the time; and none after now, so that a line printed next is not older.
   */
  now(): number {
    let time = Date.now();
    while (time === this.#lastTime) time = Date.now();
    this.#lastTime = time;
    return time / 1_000;
  }
}

function applyChange(endpoint: Endpoint, { status, end, rollback, reason }: EndpointChange): void {
  if (rollback) return endpoint.rollBack(reason);
  if (end === "gone" || end === "InService") return endpoint.settle();
  const last = end ?? status;
  if (last === "Failed") endpoint.fail(reason);
  else if (last === "UpdateRollbackFailed") endpoint.failRollback(reason);
  else if (last === "InService") endpoint.settle();
  else if (last !== undefined) endpoint.enter(last);
}

function echo({ headers, body }: Invocation): ScriptedAnswer {
  return { contentType: headers["content-type"], body };
}
