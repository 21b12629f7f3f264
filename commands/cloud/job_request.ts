/** Makes the part of a request that all commands have in common that start something on SageMaker. */

import { requireTrusted } from "../../runtime/app/trusted_image.ts";
import { connectFor } from "../../runtime/cloud/connection.ts";
import type { JobRequest } from "../../runtime/cloud/start/plan.ts";
import { tell } from "../../runtime/messages.ts";
import type { Context } from "../../runtime/context.ts";
import type { Configured } from "../command.ts";
import { userVariables } from "../named_files.ts";
import type { AppProgram } from "../program.ts";
import type {
  agreement,
  cloudJobOptions,
  dryRun,
  environmentOptions,
  imageAndAccount,
  machineOptions,
} from "../options/cloud_job.ts";

/** The options of all of them. */
type SharedOptions =
  & (typeof environmentOptions & typeof imageAndAccount & typeof dryRun & typeof agreement)
  & Pick<typeof cloudJobOptions, "--no-wait">;

/** The options of all kinds of jobs. */
type JobOptions = typeof cloudJobOptions & ReturnType<typeof machineOptions>;

type SharedRequest = Pick<
  JobRequest,
  | ("app" | "tag" | "repository" | "variables" | "tags" | "dryRun" | "yes" | "wait")
  | ("subnets" | "securityGroups" | "kmsKey")
>;

/**
 * Of variables and tags, an option replaces only the file's value of the same name.
 *
 * @param command by whose option an image is named.
 */
export async function sharedRequest(
  { app, isImageTyped: isTyped }: Pick<AppProgram, "app" | "isImageTyped">,
  { typed, options, settings }: Configured<SharedOptions>,
  context: Context,
  command: string,
): Promise<SharedRequest> {
  const { image } = app.configuration;
  if (image !== undefined) {
    await requireTrusted({ app, image, isTyped, command }, {
      env: context.env,
      account: async () => {
        const aws = await connectFor(app, options, context);
        return (await (await aws.sts()).identity()).account;
      },
      note: options.dryRun ? undefined : (text) => tell(context.err, `${text}\n`),
    });
  }
  const configured = await userVariables({ env: settings.env ?? [], envFile: [] }, context);
  const tags = [...settings.tag ?? [], ...typed.tag];
  return {
    app,
    tag: options.dockerTag,
    repository: options.repository,
    variables: { ...configured, ...await userVariables(typed, context) },
    tags: Object.fromEntries(tags.map(({ key, value }) => [key, value])),
    subnets: options.subnet,
    securityGroups: options.securityGroup,
    kmsKey: options.kmsKey,
    dryRun: options.dryRun,
    yes: options.yes,
    wait: options.wait,
  };
}

export async function jobRequest(
  runs: Pick<AppProgram, "app" | "isImageTyped">,
  configured: Configured<JobOptions>,
  context: Context,
  command: string,
): Promise<Omit<JobRequest, "typed">> {
  const { typed, options } = configured;
  return {
    ...await sharedRequest(runs, configured, context, command),
    baseJobName: options.baseJobName,
    instanceType: options.ec2Type,
    instanceCount: options.instanceCount,
    executionRole: options.executionRole ?? actingRole(typed, context),
    networkIsolation: options.networkIsolation,
  };
}

/** The role that mlcli acts in. */
export function actingRole(
  { iamRoleArn }: { readonly iamRoleArn: string | undefined },
  { env }: Pick<Context, "env">,
): string | undefined {
  return iamRoleArn ?? (env("PLATFORM_ROLE") || undefined);
}

/** The flags that have a value. */
export function given(values: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set(Object.keys(values).filter((flag) => values[flag] !== undefined));
}
