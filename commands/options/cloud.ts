/**
 * The options of every command that asks the cloud service.
 *
 * @module
 */

import { options } from "./option.ts";

/** Account, region and role. */
export const cloudOptions = options({
  "--iam-role-arn": {
    short: "-r",
    value: "arn",
    description: "Role to act as. Default: PLATFORM_ROLE.",
  },
  "--app-name": {
    short: "-a",
    value: "name",
    description: "App whose file names region and profile, if this directory has several.",
    completion: "app",
    variable: "MLCLI_APP_NAME",
  },
  "--region": {
    value: "region",
    description: "AWS region. Default: cloud_region, AWS_REGION, ...",
  },
  "--profile": {
    value: "profile",
    description: "AWS profile. Default: cloud_profile, AWS_PROFILE, ...",
  },
});
