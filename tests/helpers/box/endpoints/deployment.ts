/**
 * What an endpoint serves, or begins to: a configuration with its models as they were when it
 * was asked for. Deleting these later does not change it.
 *
 * @module
 */

import type { EndpointConfiguration, Model, Request } from "./resource.ts";

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
