/**
 * The services of the box: the one place where they are named.
 *
 * @module
 */

import { EcrService } from "./ecr_open.ts";
import { type Platform, type Service, type ServiceName, Unexpected } from "./service.ts";
import { Sts } from "./sts.ts";

/** What a test asks for, because it costs time. */
export interface BoxOptions {
  /** A registry behind ECR: a process. */
  readonly registry?: boolean;
  /** Jobs run, on the engine; without it they go on as the test says. */
  readonly jobs?: boolean;
}

/** All of them, by their names in signatures. */
export interface Services extends Record<ServiceName, Service> {
  readonly sts: Sts;
  readonly ecr: EcrService;
}

/** Starts them. */
export async function openServices(platform: Platform, options: BoxOptions): Promise<Services> {
  const sts = new Sts(platform);
  const ecr = await EcrService.open(platform, options);
  return {
    sts,
    s3: new NotThere("s3"),
    logs: new NotThere("logs"),
    ecr,
    sagemaker: new NotThere("sagemaker"),
  };
}

/** A service that the box does not have. */
class NotThere implements Service {
  constructor(private readonly name: ServiceName) {}

  handle(): Response {
    throw new Unexpected(`The box has no ${this.name}`);
  }
}
