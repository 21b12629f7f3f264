import { sectionOf } from "../../runtime/app/sections.ts";
import { deploy } from "../../runtime/cloud/deploy/deploy.ts";
import { canaryOf, checkedRequest, DEPLOY_SECONDS } from "../../runtime/cloud/deploy/request.ts";
import type { Context } from "../../runtime/context.ts";
import { UsageError } from "../../runtime/errors.ts";
import { chosenApp } from "../chosen_app.ts";
import type { ConfigurableCall } from "../command.ts";
import type { DeployDeclaration, DeployOptions } from "./deploy.ts";
import { programOf } from "../program.ts";
import { requireCompatible } from "../usage.ts";
import { JobProgress } from "./job_progress.ts";
import { actingRole, given, sharedRequest } from "./job_request.ts";

/** Creates or updates an endpoint, and waits until it serves unless told not to. */
export async function deployAction(
  context: Context,
  typed: DeployOptions,
  call: ConfigurableCall<DeployDeclaration>,
): Promise<void> {
  if (!typed.wait && typed.timeout !== undefined) {
    throw new UsageError('Option "--timeout" has no effect with "--no-wait"', {
      hint: "Wait for the endpoint later: mlcli wait NAME",
    });
  }
  requireCompatible("mlcli deploy", [["--model", "--run"]], {
    "--model": typed.model !== undefined,
    "--run": typed.run !== undefined,
  });
  const own = await chosenApp(context, typed);
  const configured = await call.configured(sectionOf(own, "deploy"));
  const runs = await programOf(own, "deploy", typed, [], context);
  using shown = new JobProgress(context, typed);
  const { options, leftOut } = forKind(typed, configured.options);
  for (const key of leftOut) {
    shown.note(`Ignored "${key}" in ${own.name}.json: serverless endpoints do not support it`);
  }
  const request = checkedRequest({
    ...await sharedRequest(runs, { ...configured, options }, context, "mlcli deploy"),
    instanceType: options.ec2Type,
    instanceCount: options.instanceCount,
    memorySize: options.memorySizeInMb,
    maxConcurrency: options.maxConcurrency,
    endpoint: options.endpointName,
    model: typed.run === undefined ? options.model : { run: typed.run },
    code: runs.program.code,
    repacks: options.repack,
    amiVersion: options.inferenceAmiVersion,
    healthCheckTimeout: options.healthCheckTimeout,
    executionRole: options.executionRole,
    actingRole: actingRole(typed, context),
    dataCapture: options.dataCapture,
    canary: canaryOf(options.canary, options.alarm),
    typed: given({
      "--canary": typed.canary,
      "--data-capture": typed.dataCapture,
      "--endpoint-name": typed.endpointName,
      "--health-check-timeout": typed.healthCheckTimeout,
      "--inference-ami-version": typed.inferenceAmiVersion,
      "--instance-count": typed.instanceCount,
      "--kms-key": typed.kmsKey,
      "--model": typed.model,
      "--subnet": typed.subnet[0],
    }),
    timeout: options.timeout ?? DEPLOY_SECONDS,
  });
  await deploy(request, options, context, shown);
}

/**
 * Instances or serverless: the kind that is typed wins, and what the file says of the other is left
 * out. The file's network stays and is then refused for serverless endpoints: nobody is to lose the
 * protection of a VPC unnoticed.
 */
function forKind(typed: DeployOptions, options: DeployOptions): {
  readonly options: DeployOptions;
  /** Keys of the file that serverless endpoints do not have, though their names do not say so. */
  readonly leftOut: readonly string[];
} {
  const { memorySizeInMb, maxConcurrency, ec2Type, instanceCount } = typed;
  if (ec2Type !== undefined) {
    return { options: { ...options, memorySizeInMb, maxConcurrency }, leftOut: [] };
  }
  if (memorySizeInMb === undefined) return { options, leftOut: [] };
  const { canary, alarm, dataCapture, healthCheckTimeout, inferenceAmiVersion } = typed;
  const ofInstances = {
    ...{ ec2Type, instanceCount, canary, alarm, dataCapture, healthCheckTimeout },
    inferenceAmiVersion,
  };
  const leftOut = ([
    ["canary", options.canary, canary],
    ["data_capture", options.dataCapture, dataCapture],
    ["health_check_timeout", options.healthCheckTimeout, healthCheckTimeout],
    ["inference_ami_version", options.inferenceAmiVersion, inferenceAmiVersion],
  ] as const).filter(([, value, typed]) => value !== undefined && typed === undefined)
    .map(([key]) => key);
  return { options: { ...options, ...ofInstances }, leftOut };
}
