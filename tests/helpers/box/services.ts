/**
 * The services of the box: the one place where they are named.
 *
 * @module
 */

import { join } from "@std/path";
import { LogStore } from "./logs.ts";
import { S3 } from "./s3.ts";
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
  readonly s3: S3;
  readonly logs: LogStore;
}

/** Starts them. */
export async function openServices(
  platform: Platform,
  _options: BoxOptions,
): Promise<Services> {
  const objects = join(platform.directory, "s3");
  await Deno.mkdir(objects);
  return {
    sts: new Sts(platform),
    s3: new S3(platform, objects),
    logs: new LogStore(),
    ecr: new NotThere("ecr"),
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
