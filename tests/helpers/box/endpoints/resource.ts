/** Models, endpoint configurations, and what an endpoint serves of them. */

import { ACCOUNT, REGION } from "../account.ts";

// deno-lint-ignore no-explicit-any
export type Request = Readonly<Record<string, any>>;

/** What has a name, an ARN and tags. */
export type ResourceKind = "model" | "endpoint-config" | "endpoint";

/** A resource of SageMaker. */
export class Resource {
  readonly tags = new Map<string, string>();

  constructor(
    readonly kind: ResourceKind,
    readonly name: string,
    /** The input that made it. */
    readonly request: Request,
    /** Epoch seconds. */
    readonly creationTime: number,
  ) {
    for (const { Key, Value } of request.Tags ?? []) this.tags.set(Key, Value);
  }

  /** With the name in small letters, as SageMaker writes it. */
  get arn(): string {
    return arnOf(this.kind, this.name);
  }
}

/** A model: an image, and where its artifact is. */
export class Model extends Resource {
  constructor(name: string, request: Request, creationTime: number) {
    super("model", name, request, creationTime);
  }

  /** `Image`, `ModelDataUrl`, `Environment`, ... */
  get container(): Request {
    return this.request.PrimaryContainer ?? this.request.Containers?.[0] ?? {};
  }
}

/** An endpoint configuration. */
export class EndpointConfiguration extends Resource {
  constructor(name: string, request: Request, creationTime: number) {
    super("endpoint-config", name, request, creationTime);
  }

  /** `ProductionVariants`, as they were asked for. */
  get variants(): readonly Request[] {
    return this.request.ProductionVariants ?? [];
  }
}

/** ARN of a resource that may be there or not. */
export function arnOf(kind: ResourceKind, name: string): string {
  return `arn:aws:sagemaker:${REGION}:${ACCOUNT}:${kind}/${name.toLowerCase()}`;
}

/** A map whose keys are names. */
export class ByName<T extends Resource> extends Map<string, T> {
  override get(name: string): T | undefined {
    return super.get(name.toLowerCase());
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase());
  }

  override set(name: string, resource: T): this {
    return super.set(name.toLowerCase(), resource);
  }

  override delete(name: string): boolean {
    return super.delete(name.toLowerCase());
  }

  /** As they were written, in the order in which they were made. */
  get names(): readonly string[] {
    return [...this.values()].map(({ name }) => name);
  }
}

/** A variant of what is served. A test may change the counts and weights, as autoscaling does. */
export class Variant {
  desiredWeight: number;
  currentWeight: number;
  /** Instances that are wanted; 0 of a serverless variant. */
  desiredCount: number;
  /** Instances that there are. */
  currentCount = 0;

  constructor(
    /** Of `ProductionVariants`: `InstanceType`, `ServerlessConfig`, time limits, ... */
    readonly request: Request,
    readonly model: Model,
    /** The image by its digest: `HOST/REPOSITORY@sha256:...` */
    readonly image: string,
    /** Epoch seconds: when the digest was looked up. */
    readonly resolutionTime: number,
  ) {
    this.desiredWeight = this.currentWeight = request.InitialVariantWeight ?? 1;
    this.desiredCount = this.isServerless ? 0 : request.InitialInstanceCount ?? 1;
  }

  get name(): string {
    return this.request.VariantName;
  }

  get isServerless(): boolean {
    return this.request.ServerlessConfig !== undefined;
  }

  /** All wanted instances are there. */
  settle(): void {
    this.currentCount = this.desiredCount;
    this.currentWeight = this.desiredWeight;
  }
}

/** A configuration on its way to being served, or served. */
export interface Deployment {
  readonly configuration: EndpointConfiguration;
  readonly variants: readonly Variant[];
  /** `DeploymentConfig` of CreateEndpoint or UpdateEndpoint. */
  readonly policy: Request | undefined;
  /** Whether data is captured: as the configuration says, or as the one before it. */
  readonly dataCapture: Request | undefined;
  /** Epoch seconds. */
  readonly startTime: number;
}
