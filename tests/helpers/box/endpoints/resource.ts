/**
 * Models and endpoint configurations: what they were made with. Neither changes any more.
 *
 * @module
 */

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
