/**
 * The region that a local run tells its code, found as for a cloud command, but without the SDK and
 * without a failure: what is missing, broken or no region counts as not there.
 *
 * @module
 */

import { AwsError } from "./errors.ts";
import { type ProfilesFile, valueInFile } from "./profiles.ts";
import { type AwsConfiguration, isRegion } from "./settings.ts";

type Environment = (name: string) => string | undefined;

/** What an app's configuration says about its region. */
export type RegionConfiguration = Pick<AwsConfiguration, "cloudRegion" | "cloudProfile">;

/** Where nobody names a region: the one that AWS opened first. */
const DEFAULT_REGION = "us-east-1";

/**
 * The first that is named: `cloud_region`, `AWS_REGION`, `AWS_DEFAULT_REGION`, `region` of the
 * profile (`cloud_profile`, `AWS_PROFILE`, or `default`), `us-east-1`. What a profile points to
 * (`sso_session`, `source_profile`) is not asked.
 */
export async function localRegion(
  { cloudRegion, cloudProfile }: RegionConfiguration,
  env: Environment,
): Promise<string> {
  const named = [cloudRegion, env("AWS_REGION"), env("AWS_DEFAULT_REGION")];
  return named.find(isPossible) ??
    await regionOfProfile(cloudProfile || env("AWS_PROFILE") || "default", env) ??
    DEFAULT_REGION;
}

/** The SDK prefers the credentials file for this key (`NODE_REGION_CONFIG_FILE_OPTIONS`). */
const FILES: readonly ProfilesFile[] = ["credentials", "config"];

async function regionOfProfile(profile: string, env: Environment): Promise<string | undefined> {
  for (const file of FILES) {
    try {
      const region = await valueInFile(file, profile, "region", env);
      if (isPossible(region)) return region;
    } catch (error) {
      // It cannot be read. A cloud command says so; a local one does not need it.
      if (!(error instanceof AwsError)) throw error;
    }
  }
}

function isPossible(region: string | undefined): region is string {
  return region !== undefined && isRegion(region);
}
