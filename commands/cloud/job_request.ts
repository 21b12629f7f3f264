/**
 * What `train` and `process` have in common, from their options to the request.
 *
 * @module
 */

import type { App } from "../../runtime/app/app.ts";
import type { Doubt } from "../../runtime/app/sections.ts";
import type { AwsOptions } from "../../runtime/aws/settings.ts";
import type { JobRequest } from "../../runtime/cloud/start/request.ts";
import type { Context } from "../../runtime/context.ts";
import { warningText } from "../../runtime/text.ts";
import { ownVariables } from "../../runtime/variable_files.ts";
import type { cloudJobOptions, instanceOptions } from "../options/cloud_job.ts";
import type { Values } from "../options/option.ts";

/** The values of what they have in common. */
type CommonOptions =
  & Values<typeof cloudJobOptions>
  & Values<ReturnType<typeof instanceOptions>>;

/** The options as they were typed, with the configuration file below them, and of that alone. */
export interface AllOptions {
  readonly typed: CommonOptions;
  readonly options: CommonOptions;
  readonly settings: Partial<CommonOptions>;
  readonly doubts: readonly Doubt[];
}

/**
 * The common part of the request, and which account is asked. What is given as pairs (variables,
 * tags) adds up: an option replaces the file's value of the same name, and no other.
 */
export async function commonRequest(
  app: App,
  { typed, options, settings, doubts }: AllOptions,
  context: Context,
): Promise<{ readonly common: Omit<JobRequest, "typed">; readonly choice: AwsOptions }> {
  for (const { message, hint } of doubts) {
    context.err.print(warningText(message, hint));
  }
  const configured = await ownVariables({ env: settings.env ?? [], envFile: [] }, context);
  const tags = [...settings.tag ?? [], ...typed.tag];
  const role = options.executionRole ?? typed.iamRoleArn ?? context.env("PLATFORM_ROLE");
  return {
    common: {
      app,
      tag: options.dockerTag,
      repository: options.repository,
      baseJobName: options.baseJobName,
      instanceType: options.ec2Type,
      instanceCount: options.instanceCount,
      volumeSize: options.volumeSize,
      maxRun: options.maxRun,
      executionRole: role || undefined,
      variables: { ...configured, ...await ownVariables(typed, context) },
      tags: Object.fromEntries(tags.map(({ key, value }) => [key, value])),
      subnets: options.subnet,
      securityGroups: options.securityGroup,
      kmsKey: options.kmsKey,
      networkIsolation: options.networkIsolation,
      dryRun: options.dryRun,
      wait: options.wait,
    },
    choice: options,
  };
}

/** Options that have a value, of those that are asked about. */
export function given(values: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set(Object.keys(values).filter((flag) => values[flag] !== undefined));
}
