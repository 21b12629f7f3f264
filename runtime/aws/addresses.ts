/**
 * Other addresses than AWS's own: those of emulators, mostly.
 *
 * The SDK finds them by itself in the environment, and in the profile that AWS_PROFILE names; not in
 * one that is named otherwise. Its order is kept: the environment before the profile, an address of
 * the one service before that of all. (SDKs and Tools reference guide, "Service-specific endpoints".)
 *
 * @module
 */

import { nestedValue, profileValue } from "./profiles.ts";
import { type AwsSettings, checkAddress } from "./settings.ts";

/** Services as the variables name them: `AWS_ENDPOINT_URL_S3`. */
export type AddressedService =
  | "SAGEMAKER"
  | "SAGEMAKER_RUNTIME"
  | "ECR"
  | "S3"
  | "CLOUDWATCH_LOGS"
  | "STS";

/**
 * The address at which a service is to be asked; `undefined`: AWS's own.
 * @throws MlcliError where a profile has one that is no URL.
 */
export async function addressOf(
  service: AddressedService,
  settings: Pick<AwsSettings, "profile">,
  env: (name: string) => string | undefined,
): Promise<string | undefined> {
  const profile = settings.profile?.value ?? "default";
  const valueOf = (key: string) => profileValue(profile, key, env);
  const ignored = env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") ||
    await valueOf("ignore_configured_endpoint_urls");
  if (ignored === "true") return undefined;
  const variable = env(`AWS_ENDPOINT_URL_${service}`) || env("AWS_ENDPOINT_URL");
  if (variable) return variable;
  const services = await valueOf("services");
  const value = (services &&
    await nestedValue(`services ${services}`, service.toLowerCase(), "endpoint_url", env)) ||
    await valueOf("endpoint_url");
  if (!value) return undefined;
  checkAddress({ value, source: `endpoint_url of profile ${profile}` });
  return value;
}
