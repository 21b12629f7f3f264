/**
 * What `mlcli deploy` does.
 *
 * @module
 */

import { sectionOf } from "../../runtime/app/sections.ts";
import { canaryOf, checkedRequest } from "../../runtime/cloud/deploy/checks.ts";
import { deploy } from "../../runtime/cloud/deploy/deploy.ts";
import { DEPLOY_SECONDS } from "../../runtime/cloud/deploy/request.ts";
import type { Context } from "../../runtime/context.ts";
import { UsageError } from "../../runtime/errors.ts";
import { chosenApp } from "../chosen_app.ts";
import type { OwnCall } from "../command.ts";
import type { DeployDeclaration, DeployOptions } from "./deploy.ts";
import { ShownJob } from "./job_report.ts";
import { actingRole, given, sharedRequest } from "./job_request.ts";

/** Creates or updates an endpoint, and waits until it serves unless told not to. */
export async function deployAction(
  context: Context,
  typed: DeployOptions,
  call: OwnCall<DeployDeclaration>,
): Promise<void> {
  if (!typed.wait && typed.timeout !== undefined) {
    throw new UsageError('Option "--timeout" is of no use with "--no-wait".', {
      hint: "mlcli wait NAME waits later.",
    });
  }
  const app = await chosenApp(context, typed.appName);
  const { options, settings, doubts } = await call.configured(sectionOf(app, "deploy"));
  using shown = new ShownJob(context);
  const request = checkedRequest({
    ...await sharedRequest(app, { typed, options, settings, doubts }, context),
    ...hosting(typed, options),
    endpoint: options.endpointName,
    model: options.model,
    healthCheckTimeout: options.healthCheckTimeout,
    executionRole: options.executionRole,
    actingRole: actingRole(typed, context),
    dataCapture: options.dataCapture,
    canary: canaryOf(options.canary, options.alarm),
    typed: given({
      "--data-capture": typed.dataCapture,
      "--instance-count": typed.instanceCount,
      "--model": typed.model,
    }),
    timeout: options.timeout ?? DEPLOY_SECONDS,
  });
  await deploy(request, options, context, shown);
}

/** Instances or serverless: what is typed wins over all of the other kind in the file. */
function hosting(typed: DeployOptions, options: DeployOptions): Hosting {
  const isServerless = typed.memorySizeInMb !== undefined;
  const hasInstances = typed.ec2Type !== undefined;
  const ofInstances = isServerless ? typed : options;
  const ofServerless = hasInstances ? typed : options;
  return {
    instanceType: ofInstances.ec2Type,
    instanceCount: ofInstances.instanceCount,
    memorySize: ofServerless.memorySizeInMb,
    maxConcurrency: ofServerless.maxConcurrency,
  };
}

interface Hosting {
  readonly instanceType: string | undefined;
  readonly instanceCount: number | undefined;
  readonly memorySize: number | undefined;
  readonly maxConcurrency: number | undefined;
}
