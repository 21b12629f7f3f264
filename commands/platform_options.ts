/**
 * The options that every cloud command has.
 *
 * @module
 */

import type { AwsOptions } from "../runtime/aws/settings.ts";
import type { AnyCommand } from "./command.ts";

/** What `withPlatformOptions` adds. */
export interface CloudOptions extends AwsOptions {
  readonly appName?: string;
}

/** Adds the options that choose account, region and role. */
export function withPlatformOptions(command: AnyCommand): AnyCommand {
  return command
    .option("-r, --iam-role-arn <arn:string>", "Role to act in. Without it: PLATFORM_ROLE.")
    .option("-a, --app-name <name:string:app>", "App whose configuration file names the region.")
    .option("--region <region:string>", "Region to ask. Without it: cloud_region, AWS_REGION, ...")
    .option("--profile <profile:string>", "AWS profile to take credentials from.");
}
