import { basename } from "@std/path/basename";
import { isOfAppsDirectory } from "../../app/image.ts";
import type { Aws } from "../../aws/aws.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import type { Context } from "../../context.ts";
import type { S3Address } from "../../contract/addresses.ts";
import { environmentDifferences } from "../../contract/differences.ts";
import { ALARMS } from "../../contract/limits.ts";
import { UsageError } from "../../errors.ts";
import type { JobReport } from "../jobs/follow.ts";
import { checkNetworkAndTags, requireAtMost, requireGiven, requireNone } from "../start/checks.ts";
import type { JobRequest } from "../start/plan.ts";
import type { ProgramRequest } from "../../source/program.ts";
import type { State } from "./state.ts";

/**
 * How long `deploy` waits where nobody says, in seconds: an endpoint mostly takes ten minutes, and may
 * take most of an hour.
 */
export const DEPLOY_SECONDS = 3_600;

export type ModelSource =
  /** In S3: an archive, `model.tar.gz`; or all that lies below a key that ends with `/`. */
  | { readonly address: S3Address }
  /** A directory on this machine, as it was typed. */
  | { readonly directory: string }
  /** The model of a run on this machine: its name, or `last`. */
  | { readonly run: string };

/** How traffic is shifted to a new configuration. */
export interface Canary {
  /** How much of the new instances comes first, in percent: 1 to 50. */
  readonly percent: number;
  /** Alarms of CloudWatch that roll the update back when they go off during that time. */
  readonly alarms: readonly string[];
}

/**
 * What to deploy. For what is `undefined`, a new endpoint gets the default, and an update keeps what the
 * endpoint has.
 */
export interface DeployRequest extends
  Pick<
    JobRequest,
    | "app"
    | "tag"
    | "repository"
    | "instanceType"
    | "executionRole"
    | "variables"
    | "tags"
    | "subnets"
    | "securityGroups"
    | "kmsKey"
    | "typed"
    | "dryRun"
    | "yes"
    | "wait"
  > {
  readonly endpoint: string | undefined;
  /** `undefined`: what an endpoint has, or none, where the image is not mlcli's. */
  readonly model: ModelSource | undefined;
  /** What AWS's inference images run in the model's `code/`; `undefined`: nothing is put there. */
  readonly code: ProgramRequest["code"];
  /** Whether a large archive may be packed anew. */
  readonly repacks: boolean;
  /** Of the machines: the version of what runs there besides, such as GPU drivers. */
  readonly amiVersion: string | undefined;
  readonly instanceCount: number | undefined;
  /** Serverless: memory in MB, and how many requests at once. Not there together with a type. */
  readonly memorySize: number | undefined;
  readonly maxConcurrency: number | undefined;
  /** How long a container may take until it answers /ping, in seconds. */
  readonly healthCheckTimeout: number | undefined;
  /** The role that mlcli acts in: SageMaker's default role for a new endpoint. */
  readonly actingRole: string | undefined;
  /** Where requests and answers are kept. */
  readonly dataCapture: S3Address | undefined;
  readonly canary: Canary | undefined;
  /** How long to wait at most, in seconds. */
  readonly timeout: number;
}

/** A request that names what any deployment needs. */
export interface CheckedRequest extends DeployRequest {
  readonly endpoint: string;
}

export type DeployHost = Pick<
  Context,
  "cwd" | "env" | "aws" | "engine" | "interruption" | "clock" | "ask" | "canAsk"
>;

export interface DeployContext {
  readonly request: CheckedRequest;
  readonly state: State;
  readonly aws: Aws;
  readonly sagemaker: SageMaker;
  readonly host: DeployHost;
  readonly report: JobReport;
  /** The options of the command, for command lines to paste. */
  readonly choice: AwsOptions;
}

export function asksForServerless({ memorySize, maxConcurrency }: DeployRequest): boolean {
  return memorySize !== undefined || maxConcurrency !== undefined;
}

/**
 * Checks what can be checked of a request alone.
 *
 * @throws UsageError for options that are missing or do not go together; MlcliError for variables
 * that SageMaker would refuse.
 */
export function checkedRequest(request: DeployRequest): CheckedRequest {
  const { app, endpoint, model, code } = request;
  requireGiven("deploy", app, [
    ["--endpoint-name", endpoint],
    ...isOfAppsDirectory(app) ? [["--model", model] as const] : [],
  ]);
  checkHosting(request);
  checkNetworkAndTags(request);
  requireNone(environmentDifferences("serve", request.variables));
  if (code && isOfAppsDirectory(app)) {
    throw new UsageError("An entry point is not supported with the app's own image", {
      hint: "Put the code into prediction/serve, which the app's image runs. Or choose an image " +
        "that can run the code/ directory of a model: --image IMAGE",
    });
  }
  if (code && isPrefix(model)) throw codeInPrefix();
  if (!code && request.repacks) {
    throw new UsageError('Option "--repack" has no effect without an entry point', {
      hint: "Choose the code to add to the model: --entry-point FILE",
    });
  }
  return { ...request, endpoint: endpoint! };
}

export function codeInPrefix(): UsageError {
  return new UsageError("Cannot add code to a model that is not an archive", {
    hint: "Upload the code to code/ in the model's S3 directory and omit --entry-point. Or use " +
      "an archive: --model s3://.../model.tar.gz",
  });
}

/** Whether a model is all that lies below a prefix. */
export function isPrefix(model: ModelSource | undefined): boolean {
  return model !== undefined && "address" in model && model.address.key.endsWith("/");
}

/** Refuses options for instances together with options for serverless. */
function checkHosting(request: DeployRequest): void {
  const { instanceType, instanceCount, memorySize, maxConcurrency } = request;
  const first = firstGiven([["--ec2-type", instanceType], ["--instance-count", instanceCount]]);
  const second = firstGiven([
    ["--memory-size-in-mb", memorySize],
    ["--max-concurrency", maxConcurrency],
  ]);
  if (first !== undefined && second !== undefined) {
    throw new UsageError(`Options "${first}" and "${second}" cannot be used together`, {
      hint: "Choose instances (--ec2-type, --instance-count) or a serverless endpoint " +
        "(--memory-size-in-mb, --max-concurrency)",
    });
  }
  if (second !== undefined) requireServerless(request);
}

/**
 * Requires that nothing is asked for that serverless endpoints do not have: developer guide, "Deploy
 * models with Amazon SageMaker Serverless Inference", "Feature exclusions" (VPC configuration, data
 * capture), and "Deployment guardrails" ("only apply to Asynchronous inference and Real-time
 * inference endpoint types"). How long a container may take is of instances, too: API reference,
 * "ProductionVariant" ("for the inference container to pass the health check by SageMaker Hosting").
 *
 * @throws UsageError
 */
export function requireServerless(
  { app, typed, subnets, dataCapture, canary, healthCheckTimeout, amiVersion, model }:
    DeployRequest,
): void {
  if (isPrefix(model)) {
    throw new UsageError("A serverless endpoint requires a model archive, not an S3 directory", {
      hint: "Use --model s3://.../model.tar.gz, or --ec2-type instead of --memory-size-in-mb",
    });
  }
  const flag = firstGiven([
    ["--subnet", subnets.length > 0 ? subnets : undefined],
    ["--data-capture", dataCapture],
    ["--canary", canary],
    ["--health-check-timeout", healthCheckTimeout],
    ["--inference-ami-version", amiVersion],
  ]);
  if (flag === undefined) return;
  const key = flag.slice(2).replaceAll("-", "_");
  const remove = typed.has(flag)
    ? `Omit ${flag}`
    : `Remove "${key}" from "deploy" of ${basename(app.configurationPath)}`;
  throw new UsageError(`Option "${flag}" is not supported for serverless endpoints`, {
    hint: `${remove}, or use instances: --ec2-type instead of --memory-size-in-mb`,
  });
}

/** @throws UsageError for alarms that nothing looks at. */
export function canaryOf(
  percent: number | undefined,
  alarms: readonly string[],
): Canary | undefined {
  requireAtMost(alarms.length, ALARMS.most, "--alarm");
  if (percent !== undefined) return { percent, alarms };
  if (alarms.length === 0) return undefined;
  throw new UsageError('Option "--alarm" has no effect without "--canary"', {
    hint: "Add --canary PERCENT: an alarm can roll back only a canary update",
  });
}

function firstGiven(
  options: readonly (readonly [flag: `--${string}`, value: unknown])[],
): string | undefined {
  return options.find(([, value]) => value !== undefined)?.[0];
}
