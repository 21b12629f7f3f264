/** An app whose image is pushed, with a model in S3: what `deploy` needs. */

import { assertEquals } from "@std/assert";
import type { TestAppOptions } from "./app.ts";
import { BUCKET, type JobApp, makeJobApp } from "./job_app.ts";
import { tarGz } from "./tar.ts";

export const MODEL_KEY = "app/model/model.tar.gz";
export const MODEL = `s3://${BUCKET}/${MODEL_KEY}`;

/** The least that a new endpoint is asked for with. */
export const LEAST = ["deploy", "-n", "shop", "-e", "ml.m5.large", "-m", MODEL];

/** A second model, and the least that an endpoint is asked for with to serve it. */
const SECOND_KEY = "app/second/model.tar.gz";
export const SECOND = `s3://${BUCKET}/${SECOND_KEY}`;
export const UPDATE = ["deploy", "-n", "shop", "-m", SECOND];

/** Opens the platform, and makes the app and its models. */
export async function makeDeployApp(options?: TestAppOptions): Promise<JobApp> {
  const job = await makeJobApp(options);
  await job.box.s3.put(BUCKET, MODEL_KEY, await tarGz([{ name: "model.txt", content: "seven" }]));
  await job.box.s3.put(BUCKET, SECOND_KEY, await tarGz([{ name: "model.txt", content: "eight" }]));
  return job;
}

/** The same with an endpoint that serves; nothing is known of how it was asked for. */
export async function makeDeployedApp(): Promise<JobApp> {
  const job = await makeDeployApp();
  assertEquals((await job.run(LEAST)).code, 0);
  job.box.requests.length = 0;
  return job;
}

/** Names of all models and configurations that there are, and which of them `shop` serves with. */
export function thingsOf({ box: { endpoints } }: JobApp): {
  readonly all: readonly string[];
  readonly served: readonly string[] | undefined;
} {
  const { current } = endpoints.endpoints.get("shop") ?? {};
  return {
    all: [...endpoints.configurations.keys(), ...endpoints.models.keys()],
    served: current &&
      [current.configuration.name, ...current.variants.map(({ model }) => model.name)],
  };
}

/** Calls that change something on the platform, in order. */
export function changesOf({ box }: JobApp): readonly string[] {
  return box.operations.filter((name) => /:(Create|Put|Delete|Update|Add)/.test(name));
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
