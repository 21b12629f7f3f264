/**
 * An app whose image is pushed, with a model in S3: what `deploy` needs.
 *
 * @module
 */

import type { TestAppOptions } from "./app.ts";
import { BUCKET, type JobApp, makeJobApp } from "./job_app.ts";
import { tarGz } from "./tar.ts";

/** Where its model lies. */
export const MODEL_KEY = "app/model/model.tar.gz";
export const MODEL = `s3://${BUCKET}/${MODEL_KEY}`;

/** The least that a new endpoint is asked for with. */
export const LEAST = ["deploy", "-n", "shop", "-e", "ml.m5.large", "-m", MODEL];

/** Opens the platform, and makes the app and its model. */
export async function makeDeployApp(options?: TestAppOptions): Promise<JobApp> {
  const job = await makeJobApp(options);
  await job.box.s3.put(BUCKET, MODEL_KEY, await tarGz([{ name: "model.txt", content: "seven" }]));
  return job;
}

/** A call that a dry run prints. */
interface Call {
  readonly action: string;
  // deno-lint-ignore no-explicit-any -- JSON as it was printed
  readonly input: any;
}

/** The inputs of the calls that a dry run prints: of a model, its configuration, and the endpoint. */
export interface PlannedCalls
  extends Record<"model" | "configuration" | "endpoint", Call["input"]> {
  /** All of them, in order. */
  readonly actions: readonly string[];
}

/** Reads what a dry run prints. */
export function callsIn(stdout: string): PlannedCalls {
  const calls: readonly Call[] = JSON.parse(stdout);
  const inputOf = (...actions: readonly string[]) =>
    calls.find(({ action }) => actions.includes(action))?.input;
  return {
    actions: calls.map(({ action }) => action),
    model: inputOf("sagemaker:CreateModel"),
    configuration: inputOf("sagemaker:CreateEndpointConfig"),
    endpoint: inputOf("sagemaker:CreateEndpoint", "sagemaker:UpdateEndpoint"),
  };
}
