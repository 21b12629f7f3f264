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
    description: "Role to act in. Without it: PLATFORM_ROLE.",
  },
  "--app-name": {
    short: "-a",
    value: "name",
    description: "App whose configuration file names the region.",
    completion: "app",
    variable: "MLCLI_APP_NAME",
  },
  "--region": {
    value: "region",
    description: "Region to ask. Without it: cloud_region, AWS_REGION, ...",
  },
  "--profile": { value: "profile", description: "AWS profile to take credentials from." },
});
