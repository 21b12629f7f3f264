import { isOfAppsDirectory } from "../../app/image.ts";
import type { Aws } from "../../aws/aws.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { Context } from "../../context.ts";
import type { S3Address } from "../../contract/addresses.ts";
import { environmentDifferences } from "../../contract/differences.ts";
import { ALARMS } from "../../contract/limits.ts";
import { UsageError } from "../../errors.ts";
import type { Messages } from "../../messages.ts";
import type { WaitingHost } from "../connection.ts";
import { checkNetworkAndTags, requireAtMost, requireGiven, requireNone } from "../start/checks.ts";
import type { CloudRequest } from "../start/plan.ts";
import type { Setting } from "../../setting.ts";
import type { ProgramRequest } from "../../source/program.ts";
import type { State } from "./state.ts";

/**
 * Default of `--timeout` for `deploy`, in seconds: an endpoint usually takes ten minutes, and sometimes
 * almost an hour.
 */
export const DEPLOY_SECONDS = 3_600;

export type ModelSource =
  /** In S3: an archive, `model.tar.gz`; or all that lies below a key that ends with `/`. */
  | { readonly address: S3Address }
  /** A directory on this machine, as it was typed. */
  | { readonly directory: string }
  /** The model of a run on this machine: its name, or `last`. */
  | { readonly run: string };

/**
 * Settings of an endpoint, under the names of their options. For those that are `undefined`, a new
 * endpoint gets the default, and an update keeps the endpoint's own.
 */
export interface DeployRequest extends CloudRequest {
  readonly endpointName: Setting<string> | undefined;
  readonly model: Setting<ModelSource> | undefined;
  /** Local run whose model is deployed, or `last`. */
  readonly run: string | undefined;
  /** Code that AWS's inference images run from the model's `code/`; `undefined`: none is added. */
  readonly code: ProgramRequest["code"];
  /** Whether mlcli can repack a large archive without a question. */
  readonly repack: boolean;
  readonly inferenceAmiVersion: Setting<string> | undefined;
  readonly instanceCount: Setting<number> | undefined;
  readonly memorySizeInMb: Setting<number> | undefined;
  readonly maxConcurrency: number | undefined;
  /** In seconds. */
  readonly healthCheckTimeout: Setting<number> | undefined;
  readonly dataCapture: Setting<S3Address> | undefined;
  /** Percentage of the instances that an update changes first. */
  readonly canary: Setting<number> | undefined;
  /** CloudWatch alarms that roll back a canary update. */
  readonly alarm: readonly Setting<string>[];
  /** Maximum time to wait, in seconds. */
  readonly timeout: number | undefined;
}

/** A request with the settings that every deployment needs. */
export interface CheckedRequest extends DeployRequest {
  readonly endpointName: Setting<string>;
  readonly timeout: number;
}

export type DeployHost = WaitingHost & Pick<Context, "engine" | "ask" | "canAsk">;

export interface DeployContext {
  readonly request: CheckedRequest;
  readonly state: State;
  readonly aws: Aws;
  readonly sagemaker: SageMaker;
  readonly host: DeployHost;
}

export function asksForServerless({ memorySizeInMb, maxConcurrency }: DeployRequest): boolean {
  return memorySizeInMb !== undefined || maxConcurrency !== undefined;
}

/**
 * Checks a request without calling any service.
 *
 * @throws UsageError for options that are missing or exclude each other; MlcliError for variables that
 * SageMaker would reject.
 */
export function checkedRequest(request: DeployRequest): CheckedRequest {
  const { app, endpointName, code } = request;
  const model = modelOf(request);
  requireGiven("deploy", app, [
    ["--endpoint-name", endpointName],
    ...isOfAppsDirectory(app) ? [["--model", model] as const] : [],
  ]);
  requireAtMost(request.alarm.length, ALARMS.most, "--alarm");
  if (asksForServerless(request)) requireServerless(request);
  checkNetworkAndTags(request);
  requireNone(environmentDifferences("serve", request.variables));
  if (code && isOfAppsDirectory(app)) {
    throw new UsageError("An entry point is not supported with the app's own image", {
      hint: "Put the code into prediction/serve, which the app's image runs. Or choose an image " +
        "that can run the code/ directory of a model: --image IMAGE",
    });
  }
  if (code && isPrefix(model)) throw codeInPrefix();
  if (!code && request.repack) {
    throw new UsageError('Option "--repack" has no effect without an entry point', {
      hint: "Choose the code to add to the model: --entry-point FILE",
    });
  }
  return { ...request, endpointName: endpointName!, timeout: request.timeout ?? DEPLOY_SECONDS };
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

/** Returns the model to deploy: of a run, or of `--model`. */
export function modelOf(
  { model, run }: Pick<DeployRequest, "model" | "run">,
): ModelSource | undefined {
  return run === undefined ? model?.value : { run };
}

/**
 * Returns the request without settings of the file that serverless endpoints don't support, if the user typed
 * the memory size of one. A network setting stays and is refused, because its protection must not get lost.
 *
 * @param ignored is called with each key that has no effect.
 */
export function withoutInstances(
  request: DeployRequest,
  messages: Pick<Messages, "note">,
): DeployRequest {
  if (request.memorySizeInMb?.from !== "typed") return request;
  const applied = <T extends Setting<unknown>>(key: string, setting: T | undefined) => {
    if (setting?.from !== "file") return setting;
    messages.note(
      `Ignored "${key}" in ${request.app.name}.json: serverless endpoints do not support it`,
    );
  };
  return {
    ...request,
    canary: applied("canary", request.canary),
    alarm: request.alarm.filter(({ from }) => from !== "file"),
    dataCapture: applied("data_capture", request.dataCapture),
    healthCheckTimeout: applied("health_check_timeout", request.healthCheckTimeout),
    inferenceAmiVersion: applied("inference_ami_version", request.inferenceAmiVersion),
  };
}

/**
 * Requires that serverless endpoints support all settings: developer guide, "Deploy
 * models with Amazon SageMaker Serverless Inference", "Feature exclusions" (VPC configuration, data
 * capture), and "Deployment guardrails" ("only apply to Asynchronous inference and Real-time
 * inference endpoint types"). The time limit for /ping is only for instances: API reference,
 * "ProductionVariant" ("for the inference container to pass the health check by SageMaker Hosting").
 *
 * @throws UsageError
 */
export function requireServerless(request: DeployRequest): void {
  if (isPrefix(modelOf(request))) {
    throw new UsageError("A serverless endpoint requires a model archive, not an S3 directory", {
      hint: "Use --model s3://.../model.tar.gz, or --ec2-type instead of --memory-size-in-mb",
    });
  }
  const unsupported = Object.entries({
    "--subnet": request.subnet[0],
    "--data-capture": request.dataCapture,
    "--canary": request.canary,
    "--alarm": request.alarm[0],
    "--health-check-timeout": request.healthCheckTimeout,
    "--inference-ami-version": request.inferenceAmiVersion,
  });
  for (const [flag, setting] of unsupported) {
    if (setting === undefined) continue;
    const remove = setting.from === "file" ? `Remove ${setting.where}` : `Omit ${setting.where}`;
    throw new UsageError(`Option "${flag}" is not supported for serverless endpoints`, {
      hint: `${remove}, or use instances: --ec2-type instead of --memory-size-in-mb`,
    });
  }
}
