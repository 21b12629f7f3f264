/** The services of the box: the one place where they are named. */

import { join } from "@std/path";
import { EcrService } from "./ecr.ts";
import { EndpointStore } from "./endpoints/endpoint_store.ts";
import { Invocations } from "./endpoints/invocations.ts";
import { EndpointOperations } from "./endpoints/operations.ts";
import { ServingRunner } from "./endpoints/serving/serving_runner.ts";
import { JobStore } from "./jobs/job_store.ts";
import { JobOperations } from "./jobs/operations.ts";
import { jobWorld } from "./jobs/platform.ts";
import { EngineRunner } from "./jobs/runner.ts";
import { LogStore } from "./logs.ts";
import { S3 } from "./s3.ts";
import { SageMaker } from "./sagemaker.ts";
import type { Platform, Service, ServiceName } from "./service.ts";
import { Sts } from "./sts.ts";

/** What a test asks for, because it costs time. */
export interface BoxOptions {
  /** A registry behind ECR: a process. */
  readonly registry?: boolean;
  /** Jobs run, on the engine; without it they go on as the test says. */
  readonly jobs?: boolean;
  /** Endpoints serve, on the engine; without it they go on and answer as the test says. */
  readonly endpoints?: boolean;
}

/** All of them, by their names in signatures. */
export interface Services extends Record<ServiceName, Service> {
  readonly sts: Sts;
  readonly ecr: EcrService;
  readonly s3: S3;
  readonly logs: LogStore;
  readonly sagemaker: SageMaker;
}

/** Starts them. */
export async function openServices(platform: Platform, options: BoxOptions): Promise<Services> {
  const objects = join(platform.directory, "s3");
  await Deno.mkdir(objects);
  const s3 = new S3(platform, objects);
  const logs = new LogStore();
  const ecr = await EcrService.open(platform, options);
  const endpoints = new EndpointStore((group, stream, lines) => logs.put(group, stream, lines));
  const around = { platform, s3: s3.store, ecr, logs, models: endpoints.models };
  const jobs = new JobStore(jobWorld(around));
  const runner = options.endpoints ? new ServingRunner(around) : undefined;
  return {
    sts: new Sts(platform),
    s3,
    logs,
    ecr,
    sagemaker: new SageMaker(
      new JobOperations(around, jobs, options.jobs ? new EngineRunner(around) : undefined),
      new EndpointOperations(around, endpoints, jobs.roles, runner),
      new Invocations(endpoints, runner),
    ),
  };
}
