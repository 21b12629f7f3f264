import { basename } from "@std/path/basename";
import { type App, type AppChoice, findApps } from "../app/app.ts";
import type { Aws } from "../aws/aws.ts";
import { type AwsConfiguration, type AwsOptions, awsSettings } from "../aws/settings.ts";
import type { Context } from "../context.ts";
import type { Waiting } from "../messages.ts";
import { MlcliError } from "../errors.ts";

export type CloudHost = Pick<
  Context,
  "cwd" | "env" | "aws" | "interruption" | "clock" | "messages"
>;

/** The context of a command that waits for AWS. */
export interface WaitingHost extends CloudHost {
  readonly waiting: Waiting;
}

/** Options for account, region and role. All keys are required, so that no caller forgets one. */
export interface CloudChoice extends AwsOptions, AppChoice {
  readonly appName: string | undefined;
}

/**
 * Connects to AWS with the settings of the options, of the app's or all apps' configuration files, and of the
 * environment.
 *
 * @throws MlcliError if several apps name different regions.
 */
export async function connectToAws(
  choice: CloudChoice,
  host: Pick<CloudHost, "cwd" | "env" | "aws">,
): Promise<Aws> {
  const configuration = await configurationFor(host.cwd, choice);
  return await host.aws(awsSettings(choice, configuration, host.env));
}

/** The same for a command that works on an app, which has been found. */
export async function connectFor(
  app: App,
  choice: AwsOptions,
  host: Pick<CloudHost, "env" | "aws">,
): Promise<Aws> {
  return await host.aws(awsSettings(choice, awsConfiguration(app), host.env));
}

/**
 * The configuration of the apps in a directory, which have to agree on what the options leave open.
 */
async function configurationFor(
  cwd: string,
  choice: CloudChoice,
): Promise<AwsConfiguration | undefined> {
  const { appName, region, profile } = choice;
  const isOpen = region === undefined || profile === undefined;
  if (appName === undefined && !isOpen) return undefined;
  const apps = await findApps(cwd, choice);
  const [first, ...others] = apps;
  if (!first) return undefined;
  const disagrees = others.some(({ configuration }) =>
    (region === undefined && configuration.cloudRegion !== first.configuration.cloudRegion) ||
    (profile === undefined && configuration.cloudProfile !== first.configuration.cloudProfile)
  );
  if (disagrees) throw severalAppsError(first.directory, apps);
  return awsConfiguration(first);
}

function awsConfiguration({ configuration, configurationPath }: App): AwsConfiguration {
  const { cloudRegion, cloudProfile } = configuration;
  return { cloudRegion, cloudProfile, file: basename(configurationPath) };
}

function severalAppsError(directory: string, apps: readonly App[]): MlcliError {
  const names = apps.map(({ name }) => name);
  return new MlcliError(`${directory} contains several apps: ${names.join(", ")}`, {
    hint: "Their regions or profiles differ. " +
      `Choose an app with --app-name ${names[0]}, or set both --region and --profile.`,
  });
}
