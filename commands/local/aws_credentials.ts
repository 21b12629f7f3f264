import type { App } from "../../runtime/app/app.ts";
import { regionOfProfile } from "../../runtime/aws/settings.ts";
import type { Context } from "../../runtime/context.ts";
import { KEY_VARIABLES } from "../../runtime/contract/variables.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { CredentialsLender, LocalJob } from "../../runtime/local/jobs.ts";
import { abortOf } from "../../runtime/time.ts";

/**
 * Returns a lender that requests temporary credentials of a profile for each container.
 *
 * @param variables the variables that the user gives to the code.
 * @throws AwsError if the profile doesn't exist; UsageError if a variable sets one of the keys.
 */
export async function credentialsLender(
  profile: string,
  app: App,
  variables: LocalJob["variables"],
  context: Context,
): Promise<CredentialsLender> {
  const twice = KEY_VARIABLES.find((name) => Object.hasOwn(variables, name));
  if (twice !== undefined) {
    throw new UsageError(`Option "--aws-credentials" and ${twice} cannot be used together`, {
      hint: "Remove one of them: both set the AWS credentials of your code",
    });
  }
  const { cloudRegion } = app.configuration;
  const own = await regionOfProfile(profile, context.env);
  const region = own ?? await context.region({ cloudRegion, cloudProfile: undefined });
  const aws = await context.aws({
    profile: { value: profile, from: "typed", where: "--aws-credentials" },
    isProfileAlone: true,
    region: {
      value: region,
      from: "person",
      where: own ? `profile ${profile}` : "the region of local runs",
    },
    role: undefined,
  });
  const { signal } = context.interruption;
  return {
    region,
    lend: async () => {
      const lent = (await aws.sts()).lentCredentials();
      // Getting credentials for a profile with a role doesn't end with the signal.
      return { profile, ...await Promise.race([lent, abortOf(signal)]) };
    },
  };
}
