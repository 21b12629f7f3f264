/**
 * The way from the options of a cloud command to the platform.
 *
 * @module
 */

import { basename } from "@std/path/basename";
import type { Context } from "../runtime/context.ts";
import { MlcliError } from "../runtime/errors.ts";
import type { SageMaker } from "../runtime/aws/sagemaker.ts";
import { type AwsConfiguration, awsSettings } from "../runtime/aws/settings.ts";
import { type App, findApp, findApps } from "../runtime/app/app.ts";
import type { CloudOptions } from "./platform_options.ts";

/** The platform that the options, the app's configuration and the environment choose. */
export async function openSageMaker(context: Context, options: CloudOptions): Promise<SageMaker> {
  const configuration = await platformConfiguration(context.cwd, options);
  return await context.sagemaker(awsSettings(options, configuration, context.env));
}

/**
 * What the apps in a directory say about the platform. Several do not matter as long as they agree
 * on whatever the options leave open.
 */
async function platformConfiguration(
  cwd: string,
  { appName, region, profile }: CloudOptions,
): Promise<AwsConfiguration | undefined> {
  const isOpen = region === undefined || profile === undefined;
  if (appName === undefined && !isOpen) return undefined;
  const apps = appName === undefined ? await findApps(cwd) : [await findApp(cwd, appName)];
  const [first, ...others] = apps;
  if (!first) return undefined;
  const disagrees = others.some(({ configuration }) =>
    (region === undefined && configuration.cloudRegion !== first.configuration.cloudRegion) ||
    (profile === undefined && configuration.cloudProfile !== first.configuration.cloudProfile)
  );
  if (disagrees) throw severalApps(cwd, apps);
  const { cloudRegion, cloudProfile } = first.configuration;
  return { cloudRegion, cloudProfile, file: basename(first.configurationPath) };
}

function severalApps(cwd: string, apps: readonly App[]): MlcliError {
  const names = apps.map(({ name }) => name);
  return new MlcliError(`Several apps in ${cwd}: ${names.join(", ")}`, {
    hint: "They name different regions or profiles. " +
      `Choose one with --app-name ${names[0]}, or give both --region and --profile.`,
  });
}
