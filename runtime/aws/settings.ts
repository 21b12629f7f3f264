/**
 * Which account and region a command asks, in which role: the options before the app's
 * configuration, that before the environment.
 *
 * @module
 */

import { isRoleArn } from "../contract/addresses.ts";
import { MlcliError, UsageError } from "../errors.ts";

/** A value, and who set it, as the user would look for it: `--region`, `AWS_REGION`, ... */
export interface Setting {
  readonly value: string;
  readonly source: string;
}

/** What was asked for. Whatever is `undefined` is left to the SDK. */
export interface AwsSettings {
  readonly region: Setting | undefined;
  readonly profile: Setting | undefined;
  /** The role to assume; without one the caller's own credentials are used. */
  readonly role: Setting | undefined;
}

/** The options that choose account, region and role. */
export interface AwsOptions {
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly iamRoleArn: string | undefined;
}

/** What an app's configuration says about SageMaker. */
export interface AwsConfiguration {
  readonly cloudRegion?: string;
  readonly cloudProfile?: string;
  /** The configuration file, for messages. */
  readonly file: string;
}

/**
 * Puts the settings together. A variable that is empty counts as not set.
 * @throws MlcliError for a region, role or address that cannot be one; UsageError where an option
 * named it.
 */
export function awsSettings(
  options: AwsOptions,
  configuration: AwsConfiguration | undefined,
  env: (name: string) => string | undefined,
): AwsSettings {
  for (const name of ADDRESSES) checkAddress(setting(env(name), name));
  const option = (name: string, value: string | undefined) => setting(value, name);
  const key = (name: string, value: string | undefined) =>
    setting(value, `${name} in ${configuration?.file}`);
  const variable = (name: string) => setting(env(name), name);
  return {
    region: checkedRegion(
      option("--region", options.region) ??
        key("cloud_region", configuration?.cloudRegion) ??
        variable("AWS_REGION") ??
        // The SDK does not read this one, though every other AWS tool does.
        variable("AWS_DEFAULT_REGION"),
    ),
    profile: option("--profile", options.profile) ??
      key("cloud_profile", configuration?.cloudProfile) ??
      variable("AWS_PROFILE"),
    role: checkedRole(
      option("--iam-role-arn", options.iamRoleArn) ?? variable("PLATFORM_ROLE"),
    ),
  };
}

/** `eu-west-1 (AWS_REGION)`: the region that was asked, and where to change it. */
export function regionWords(region: Setting | undefined): string {
  return region ? `${region.value} (${region.source})` : "that region";
}

function setting(value: string | undefined, source: string): Setting | undefined {
  return value === undefined || value === "" ? undefined : { value, source };
}

/** The variables in which the SDK looks for other addresses than those of the region. */
const ADDRESSES = [
  "AWS_ENDPOINT_URL",
  "AWS_ENDPOINT_URL_SAGEMAKER",
  "AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME",
  "AWS_ENDPOINT_URL_STS",
  "AWS_ENDPOINT_URL_ECR",
  "AWS_ENDPOINT_URL_S3",
  "AWS_ENDPOINT_URL_CLOUDWATCH_LOGS",
];

/** @throws MlcliError for what is no URL. */
export function checkAddress(address: Setting | undefined): void {
  if (!address || /^https?:\/\//i.test(address.value) && URL.canParse(address.value)) return;
  const shape = "A URL begins with http:// or https://";
  throw wrongSetting(address, `Not a URL: "${address.value}"`, shape);
}

/** A region becomes part of a host's name. */
const REGION = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Whether a region could have that name. */
export function isRegion(name: string): boolean {
  return REGION.test(name);
}

function checkedRegion(region: Setting | undefined): Setting | undefined {
  if (!region || isRegion(region.value)) return region;
  throw wrongSetting(region, `Region not valid: "${region.value}"`, "A region is like eu-west-1");
}

function checkedRole(role: Setting | undefined): Setting | undefined {
  if (!role || isRoleArn(role.value)) return role;
  const shape = "A role is given as arn:aws:iam::ACCOUNT:role/NAME";
  throw wrongSetting(role, `Role not valid: "${role.value}"`, shape);
}

function wrongSetting(wrong: Setting, message: string, shape: string): MlcliError {
  const Failure = wrong.source.startsWith("--") ? UsageError : MlcliError;
  return new Failure(message, {
    hint: `${shape}; this one is named by ${wrong.source}.`,
  });
}
