/**
 * Carrying a deployment out. What serves is touched by nothing but UpdateEndpoint, whose failure leaves
 * it as it was; what served before goes last, once the new one is known to serve.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import { AwsError } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import { type AwsOptions, regionWords } from "../../aws/settings.ts";
import type { Context } from "../../context.ts";
import { Interrupted } from "../../errors.ts";
import { type Belonging, endpointGoesOn, removalByHand, removalOf } from "../endpoints/commands.ts";
import { waitUntilGone } from "../endpoints/endpoint_gone.ts";
import { followEndpoint, type SettledEndpoint } from "../endpoints/settled.ts";
import type { JobReport } from "../jobs/report.ts";
import { usersTags } from "../tags.ts";
import type { CheckedRequest } from "./checks.ts";
import { type Made, Making, NobodyKnows } from "./making.ts";
import { deployedByAnother, failureOf } from "./outcome.ts";
import { type Deployment, endpointTags, variablesOf } from "./plan.ts";
import {
  deleteInTheWay,
  deleteUnused,
  type Removing,
  tellLeft,
  undo,
  unusedBeside,
} from "./removal.ts";
import { orNothing, type State } from "./state.ts";

/** What deploying may touch of the world. */
export type DeployHost = Pick<
  Context,
  "cwd" | "env" | "aws" | "engine" | "interruption" | "clock"
>;

/** What is carried out, where. */
export interface Work {
  readonly request: CheckedRequest;
  readonly state: State;
  readonly aws: Aws;
  readonly sagemaker: SageMaker;
  readonly host: DeployHost;
  readonly report: JobReport;
  readonly choice: AwsOptions;
}

/** How long a failed endpoint is waited for until it is gone, in seconds. */
const GONE_SECONDS = 120;

/**
 * Makes what is planned, and has the endpoint serve it.
 *
 * @throws AwsError: what was made is deleted again, or named; Interrupted.
 */
export async function carryOut(
  deployment: Deployment,
  inTheWay: readonly Belonging[],
  work: Work,
): Promise<void> {
  const { request, state, sagemaker, host, report } = work;
  const { endpoint } = state;
  const removing = removingOf(work);
  const making = new Making({
    sagemaker,
    host,
    report,
    variables: variablesOf(request, state),
    tags: request.tags,
  });
  try {
    await deleteInTheWay(inTheWay, removing);
    await making.model(deployment.model);
    await making.configuration(deployment.configuration);
    report.progress(`Asking for endpoint ${endpoint}`, 0);
    await making.endpoint(deployment);
  } catch (error) {
    if (error instanceof Interrupted) throw interrupted(error, making, work);
    if (!(error instanceof AwsError)) throw error;
    throw await undone(error, making, work);
  }
  const where = regionWords(sagemaker.region);
  report.note(`${state.description ? "Updating" : "Creating"} endpoint ${endpoint} in ${where}`);
  const { EndpointConfigName = "" } = deployment.configuration;
  await settle(
    {
      configuration: EndpointConfigName,
      model: deployment.model.ModelName ?? "",
      created: making.made.find(({ name }) => name === EndpointConfigName)?.created,
      made: making.made,
    },
    making.withOwnTags,
    work,
  );
}

/** What an endpoint is to serve. */
export interface Coming {
  /** Names of configuration and model. */
  readonly configuration: string;
  readonly model: string;
  /** When the configuration was made; `undefined` where nobody tells. */
  readonly created: Date | undefined;
  /** What of it is mlcli's, to be deleted where it never serves. */
  readonly made: readonly Made[];
}

function removingOf({ sagemaker, report, choice }: Work): Removing {
  return { sagemaker, report, choice };
}

/** Notes what an interruption leaves. */
function interrupted(error: Interrupted, making: Making, work: Work): Interrupted {
  const { report, choice, state: { endpoint } } = work;
  if (!making.isAsked) tellLeft(making.made, { report, choice });
  else report.note(`Interrupted: ${endpoint} may have begun. ${endpointGoesOn(endpoint, choice)}`);
  return error;
}

/** The failure, with what has become of what was made. */
async function undone(error: AwsError, making: Making, work: Work): Promise<AwsError> {
  const { state: { endpoint, description }, report, choice } = work;
  if (error instanceof NobodyKnows && making.isAsked) {
    return withHint(
      error,
      `Nobody knows whether ${endpoint} has begun: nothing was deleted. ` +
        endpointGoesOn(endpoint, choice),
    );
  }
  const isAllGone = await undo(
    making.made,
    { endpoint, isAsked: making.isAsked },
    removingOf(work),
  );
  if (!isAllGone) return error;
  const serves = description ? ` ${endpoint} serves what it served before.` : "";
  report.progress("", 0);
  return withHint(error, `Nothing is left of it.${serves}`);
}

function withHint(error: AwsError, more: string): AwsError {
  return new AwsError(error.refusal, error.message, {
    hint: [error.hint, more].filter((part) => part).join(" "),
    quote: error.quote,
    cause: error.cause,
  });
}

/**
 * Waits until the endpoint serves what was made, by this run or the one before it, then deletes what it
 * served before.
 *
 * @param withOwnTags whether the endpoint may have tags.
 * @throws AwsError where it does not come to serve it; Interrupted: it goes on.
 */
export async function settle(
  coming: Coming,
  withOwnTags: boolean,
  work: Work,
): Promise<void> {
  const { request, state, aws, host, report, choice } = work;
  const { endpoint } = state;
  if (!request.wait) {
    if (state.description && state.base) {
      report.note("What it serves now is deleted by the next deploy, once nothing uses it.");
    }
    tellCosts(work);
    return report.result(endpoint);
  }
  const settled = await followEndpoint(endpoint, aws, host, report, {
    target: coming.configuration,
    timeout: request.timeout,
    choice,
  });
  if (settled.outcome !== "in service") throw await failed(settled, coming, work);
  await requireOwn(coming, work);
  if (withOwnTags) await tagEndpoint(work);
  await cleanUp(coming, work);
  tellCosts(work);
  report.result(endpoint);
}

/** What has become of it, and of what was made for it. */
async function failed(
  settled: SettledEndpoint,
  { made, created }: Coming,
  work: Work,
): Promise<AwsError> {
  const { request, state, aws, choice, report } = work;
  const { endpoint, description } = state;
  const isNew = description === undefined || description.status === "Creating";
  const error = await failureOf(settled, {
    endpoint,
    isNew,
    since: created,
    timeout: request.timeout,
    choice,
  }, aws);
  if (settled.outcome === "not yet") return error;
  const isAsked = !(isNew && settled.outcome === "failed" && await deleteFailed(settled, work));
  const isAllGone = await undo(made, { endpoint, isAsked }, removingOf(work));
  report.progress("", 0);
  return isAllGone ? withHint(error, "What was made for it is deleted again.") : error;
}

/** Deletes an endpoint that never served, so that the next deploy can begin anew. */
async function deleteFailed(
  { description }: SettledEndpoint,
  work: Work,
): Promise<boolean> {
  const { state: { endpoint }, sagemaker, host: { clock, interruption }, report, choice } = work;
  try {
    await sagemaker.deleteEndpoint(endpoint);
  } catch (error) {
    if (error instanceof Interrupted) report.note(`To delete it: ${removalOf(endpoint, choice)}`);
    if (!(error instanceof AwsError)) throw error;
    report.note(`Not deleted: ${error.message}. To delete it: ${removalOf(endpoint, choice)}`);
    return false;
  }
  report.note(`Deleted endpoint ${endpoint}, which never served`);
  try {
    await waitUntilGone(
      sagemaker,
      { endpoint, description, configuration: undefined },
      report,
      {
        timeout: GONE_SECONDS,
        pause: (length) => clock.pause(length, interruption.signal),
        now: () => clock.now(),
      },
    );
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    report.note(error.message);
  }
  return true;
}

/** @throws AwsError where what serves under the configuration's name is not what was made. */
async function requireOwn(
  { configuration, created }: Coming,
  { sagemaker, state: { endpoint }, choice }: Work,
): Promise<void> {
  if (created === undefined) return;
  let now: Date | undefined;
  try {
    now = (await orNothing(sagemaker.describeEndpointConfiguration(configuration)))?.CreationTime;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return;
  }
  if (now?.getTime() !== created.getTime()) throw deployedByAnother(endpoint, choice);
}

/** Gives an endpoint that was there the tags: UpdateEndpoint takes none. */
async function tagEndpoint(
  { request, state, sagemaker, report }: Work,
): Promise<void> {
  const arn = state.description?.arn;
  if (arn === undefined) return;
  const tags = endpointTags(request, state);
  try {
    await sagemaker.addTags(arn, Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])));
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    report.note(`${state.endpoint} keeps the tags that it has: ${error.message}`);
  }
}

/** Says that it serves what is asked for, and deletes what is left beside that. */
export async function leaveAsItIs(work: Work): Promise<void> {
  const { request, state, report } = work;
  const { endpoint, base } = state;
  report.note(`${endpoint} serves that already: nothing to change`);
  if (Object.keys(usersTags(request.tags)).length > 0) await tagEndpoint(work);
  await cleanUp({ configuration: base!.name, model: base!.models[0] ?? "" }, work);
  tellCosts(work);
  report.result(endpoint);
}

/** Deletes what the endpoint needs no more; what mlcli did not make is named. */
async function cleanUp(
  serves: { readonly configuration: string; readonly model: string },
  work: Work,
): Promise<void> {
  const { state, report, choice } = work;
  const unused = unusedBeside(serves, state);
  await deleteUnused(unused.ours, state.endpoint, removingOf(work));
  for (const thing of unused.others) {
    report.note(
      `Kept ${thing.name}, which ${state.endpoint} served with before and mlcli did not make. To ` +
        `delete it: ${removalByHand(thing, choice)}`,
    );
  }
}

function tellCosts({ state: { endpoint }, report, choice }: Work): void {
  report.note(`It costs money until it is deleted: ${removalOf(endpoint, choice)}`);
}
