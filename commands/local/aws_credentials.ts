import type { App } from "../../runtime/app/app.ts";
import { regionOfProfile } from "../../runtime/aws/settings.ts";
import type { Context } from "../../runtime/context.ts";
import { UsageError } from "../../runtime/errors.ts";
import { KEY_VARIABLES } from "../../runtime/contract/variables.ts";
import type { LocalJob } from "../../runtime/local/jobs.ts";

/**
 * Returns what gets temporary credentials of a profile for each container. AWS is asked only then.
 *
 * @param variables the variables that the user gives to the code.
 * @throws AwsError if the profile doesn't exist; UsageError if a variable sets one of the keys.
 */
export async function credentialsLender(
  profile: string,
  app: App,
  variables: LocalJob["variables"],
  context: Context,
): Promise<NonNullable<LocalJob["lendCredentials"]>> {
  const twice = KEY_VARIABLES.find((name) => Object.hasOwn(variables, name));
  if (twice !== undefined) {
    throw new UsageError(`Both --aws-credentials and --env set ${twice}.`, {
      hint: "Leave one of them out: keys of two profiles don't work together.",
    });
  }
  const region = await regionOfProfile(profile, context.env) ??
    await context.region(app.configuration);
  const aws = await context.aws({
    profile: { value: profile, source: "--aws-credentials" },
    region: { value: region, source: `profile ${profile}` },
    role: undefined,
  });
  return async () => {
    const { variables, expires } = await (await aws.sts()).lentCredentials();
    return { profile, variables: { ...variables, AWS_REGION: region }, expires };
  };
}
