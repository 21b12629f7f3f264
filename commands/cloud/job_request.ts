/** What `train`, `process` and `deploy` have in common, from their options to the request. */

import type { App } from "../../runtime/app/app.ts";
import type { JobRequest } from "../../runtime/cloud/start/plan.ts";
import type { Context } from "../../runtime/context.ts";
import { ownVariables } from "../named_files.ts";
import type {
  cloudJobOptions,
  dryRun,
  environmentOptions,
  imageAndAccount,
  instanceOptions,
} from "../options/cloud_job.ts";
import type { Values } from "../options/option.ts";

/** The values of what all of them have in common. */
type SharedOptions = Values<typeof environmentOptions & typeof imageAndAccount & typeof dryRun> & {
  readonly wait: boolean;
};

/** The values of what both kinds of jobs have in common. */
type JobOptions =
  & Values<typeof cloudJobOptions>
  & Values<ReturnType<typeof instanceOptions>>;

/** The options of a command, read as `Configured` says. */
interface AllOptions<O> {
  readonly typed: O;
  readonly options: O;
  readonly settings: Partial<O>;
}

/** What a request has whatever it asks for. */
type SharedRequest = Pick<
  JobRequest,
  | ("app" | "tag" | "repository" | "variables" | "tags" | "dryRun" | "wait")
  | ("subnets" | "securityGroups" | "kmsKey")
>;

/**
 * The part of the request that jobs and endpoints have in common. What is given as pairs (variables,
 * tags) adds up: an option replaces the file's value of the same name, and no other.
 */
export async function sharedRequest(
  app: App,
  { typed, options, settings }: AllOptions<SharedOptions>,
  context: Context,
): Promise<SharedRequest> {
  const configured = await ownVariables({ env: settings.env ?? [], envFile: [] }, context);
  const tags = [...settings.tag ?? [], ...typed.tag];
  return {
    app,
    tag: options.dockerTag,
    repository: options.repository,
    variables: { ...configured, ...await ownVariables(typed, context) },
    tags: Object.fromEntries(tags.map(({ key, value }) => [key, value])),
    subnets: options.subnet,
    securityGroups: options.securityGroup,
    kmsKey: options.kmsKey,
    dryRun: options.dryRun,
    wait: options.wait,
  };
}

/** The part that both kinds of jobs have in common. */
export async function jobRequest(
  app: App,
  configured: AllOptions<JobOptions>,
  context: Context,
): Promise<Omit<JobRequest, "typed">> {
  const { typed, options } = configured;
  return {
    ...await sharedRequest(app, configured, context),
    baseJobName: options.baseJobName,
    instanceType: options.ec2Type,
    instanceCount: options.instanceCount,
    volumeSize: options.volumeSize,
    maxRun: options.maxRun,
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

/** Options that have a value, of those that are asked about. */
export function given(values: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set(Object.keys(values).filter((flag) => values[flag] !== undefined));
}
