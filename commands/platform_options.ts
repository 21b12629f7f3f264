/**
 * The options that every cloud command has, and the way from them to the platform.
 *
 * @module
 */

import type { Context } from "../runtime/context.ts";
import type { Platform } from "../runtime/platform/platform.ts";
import { type PlatformOptions, platformSettings } from "../runtime/platform/settings.ts";
import type { AnyCommand } from "./command.ts";

/** What `withPlatformOptions` adds. */
export interface CloudOptions extends PlatformOptions {
  readonly appName?: string;
}

/** Adds the options that choose account, region and role. */
export function withPlatformOptions(command: AnyCommand): AnyCommand {
  return command
    .option("-r, --iam-role-arn <arn:string>", "Role to act in. Without it: PLATFORM_ROLE.")
    .option("-a, --app-name <name:string>", "App whose configuration file names the region.")
    .option("--region <region:string>", "Region to ask. Without it: cloud_region, AWS_REGION, ...")
    .option("--profile <profile:string>", "AWS profile to take credentials from.");
}

/** The platform that the options, the app's configuration and the environment choose. */
export async function openPlatform(context: Context, options: CloudOptions): Promise<Platform> {
  return await context.platform(platformSettings(options, undefined, context.env));
}
