import { AwsError, orNothing } from "../../aws/errors.ts";
import type { EndpointDescription } from "../../aws/sagemaker.ts";
import { Interrupted } from "../../errors.ts";
import { sentences } from "../../text.ts";
import { waitUntilGone } from "../endpoints/delete_endpoint.ts";
import { detailsOf } from "../endpoints/details.ts";
import { type FollowedEndpoint, followEndpoint } from "../endpoints/follow_endpoint.ts";
import {
  deletionByHand,
  deletionOf,
  describePart,
  endpointGoesOn,
  type PartDetails,
} from "../endpoints/parts.ts";
import { failureFacts } from "../endpoints/wait_for_endpoint.ts";
import type { CloudResult } from "../jobs/follow.ts";
import { commandFor } from "../jobs/job.ts";
import { deleteMade, deleteUnused, type MadePart, namesOf, tellLeft } from "./delete_parts.ts";
import { endpointTags } from "./plan.ts";
import type { DeployContext } from "./request.ts";
import { type ExistingPart, unusedParts } from "./state.ts";

/** How long a failed endpoint is waited for until it is gone, in seconds. */
const GONE_SECONDS = 120;

/** The parts that an endpoint is about to serve. */
export interface Target {
  /** ARN of the endpoint, if known. */
  readonly arn: string | undefined;
  /** Names of configuration and model. */
  readonly configuration: string;
  readonly model: string;
  /** When the configuration was made; `undefined` where that is not known. */
  readonly created: Date | undefined;
  /** The parts that mlcli made: to be deleted where they never serve. */
  readonly made: readonly MadePart[];
}

/**
 * Waits until the endpoint serves the new parts, which this run or another run created. Only then deletes the
 * parts that it served before. After a failure, deletes the new parts.
 *
 * @param withOwnTags whether the endpoint can have mlcli's tags.
 * @throws AwsError if the endpoint does not serve the new parts in the end; Interrupted: SageMaker continues.
 */
export async function finish(
  target: Target,
  withOwnTags: boolean,
  context: DeployContext,
): Promise<CloudResult> {
  const { request, state, aws, host } = context;
  const { messages } = host;
  const { endpoint } = state;
  if (!request.wait) {
    if (state.base) {
      messages.note("The next mlcli deploy deletes the old model and configuration, if unused");
    }
    tellCosts(context);
    const begun = { kind: "endpoint", name: endpoint, arn: target.arn } as const;
    return { lines: [endpoint], described: () => begun };
  }
  let followed: FollowedEndpoint;
  try {
    followed = await followEndpoint(endpoint, aws, host, {
      target: target.configuration,
      timeout: request.timeout,
      choice: request,
    });
    if (followed.outcome === "in service") {
      tellCosts(context);
      await requireOurs(target, context);
      if (withOwnTags) await tagEndpoint(context);
    }
  } catch (error) {
    if (error instanceof Interrupted || error instanceof AwsError) tellNotDeleted(target, context);
    throw error;
  }
  if (followed.outcome === "not yet") tellNotDeleted(target, context);
  if (followed.outcome !== "in service") throw await endpointFailure(followed, target, context);
  const { ours, others } = unusedParts(target, state);
  try {
    await deleteUnused(ours, context);
  } finally {
    tellKept(others, context);
  }
  return servingResult(followed.description!, context);
}

/** Deletes the parts that an endpoint does not use, if it already serves the requested version. */
export async function leaveAsItIs(context: DeployContext): Promise<CloudResult> {
  const { request, state, host: { messages } } = context;
  const { endpoint, base } = state;
  const served = { configuration: base!.name, model: base!.models[0] ?? "" };
  messages.state(`Nothing to change: endpoint ${endpoint} already serves this version`);
  tellCosts(context);
  try {
    if (Object.keys(request.tags).length > 0) await tagEndpoint(context);
  } catch (error) {
    if (error instanceof Interrupted) tellNotDeleted(served, context);
    throw error;
  }
  await deleteUnused(unusedParts(served, state).ours, context);
  return servingResult(state.description!, context);
}

function servingResult(
  description: EndpointDescription,
  { state: { endpoint }, sagemaker, host: { messages } }: DeployContext,
): CloudResult {
  return { lines: [endpoint], described: () => detailsOf(sagemaker, description, messages) };
}

/** @throws AwsError if the parts that the endpoint serves under these names are not the new ones. */
async function requireOurs(
  { made }: Target,
  { sagemaker, state: { endpoint }, request: choice }: DeployContext,
): Promise<void> {
  for (const part of made) {
    const now = await orNothing<Pick<PartDetails, "CreationTime">>(
      describePart(sagemaker, part),
    ).catch((error) => {
      // Without the permission to read it, the part counts as mlcli's.
      if (error instanceof AwsError) return { CreationTime: part.created };
      throw error;
    });
    if (!part.created || now?.CreationTime?.getTime() === part.created.getTime()) continue;
    throw new AwsError("changed", `Another deployment to ${endpoint} ran at the same time`, {
      hint: "To serve your version, deploy again. See what the endpoint serves now: " +
        commandFor(endpoint, choice)("describe"),
    });
  }
}

/** Tags an endpoint that existed before, because UpdateEndpoint does not accept tags. */
async function tagEndpoint({ request, state, sagemaker, host }: DeployContext): Promise<void> {
  const arn = state.description?.arn;
  if (arn === undefined) return;
  const tags = endpointTags(request, state);
  try {
    await sagemaker.addTags(arn, Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])));
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    host.messages.note(`Cannot update the tags of endpoint ${state.endpoint}: ${error.message}`);
  }
}

/** Returns the error for an endpoint that does not serve the new parts, which are deleted or named. */
async function endpointFailure(
  { outcome, description }: FollowedEndpoint,
  { made, created }: Target,
  context: DeployContext,
): Promise<AwsError> {
  const { request, state, aws } = context;
  const choice = request;
  const { endpoint } = state;
  const status = description?.status ?? "unknown";
  if (outcome === "not yet") {
    const message = `Timed out after ${request.timeout} s: the status of ${endpoint} is ${status}`;
    return new AwsError("other", message, {
      hint: `${endpointGoesOn(endpoint, choice)} To wait longer, use --timeout.`,
    });
  }
  const isNew = state.description === undefined || state.description.status === "Creating";
  const isDeleted = isNew && outcome === "failed" && await deleteFailed(description, made, context);
  // First: an interruption of what follows leaves nothing behind then.
  const isAllGone = await deleteMade(made, context, isDeleted);
  const more = isAllGone ? "Nothing was left behind." : "";
  if (outcome === "gone") {
    return new AwsError("not found", `Endpoint ${endpoint} was deleted during the deployment`, {
      hint: sentences("To create it again, rerun the command", more),
    });
  }
  const facts = await failureFacts(endpoint, { description, began: created }, aws, choice);
  const [what, served] = outcome === "rolled back"
    ? [
      "was not updated: SageMaker rolled it back",
      "The endpoint still serves the previous version",
    ]
    : isNew
    ? ["was not created: it failed", undefined]
    : [
      `was not updated: its status is ${status}`,
      `See what the endpoint serves: ${commandFor(endpoint, choice)("describe")}`,
    ];
  return new AwsError("failed", `Endpoint ${endpoint} ${what}`, {
    quote: facts.quote,
    hint: sentences(facts.cause, facts.log, served, more),
  });
}

/**
 * Deletes an endpoint that never served, so that the next deployment can create it.
 *
 * @returns whether the endpoint is deleted, or being deleted.
 */
async function deleteFailed(
  description: FollowedEndpoint["description"],
  made: readonly MadePart[],
  context: DeployContext,
): Promise<boolean> {
  const { state: { endpoint }, sagemaker, host, request: choice } = context;
  const { messages } = host;
  const deletion = `Delete the endpoint: ${deletionOf(endpoint, choice)}`;
  let isDeleted = false;
  try {
    await sagemaker.deleteEndpoint(endpoint);
    isDeleted = true;
    messages.state(`Deleted the failed endpoint ${endpoint}`);
    await waitUntilGone(sagemaker, { endpoint, description }, host, GONE_SECONDS);
  } catch (error) {
    if (error instanceof Interrupted) {
      tellLeft(made, context);
      messages.warning(`Endpoint ${endpoint} has failed`, deletion);
    }
    if (!(error instanceof AwsError)) throw error;
    messages.warning(error.message, isDeleted ? undefined : deletion);
  }
  return isDeleted;
}

/** Warns of parts that the endpoint will not need and that are not deleted now. */
function tellNotDeleted(
  served: Pick<Target, "configuration" | "model">,
  context: DeployContext,
): void {
  const { ours, others } = unusedParts(served, context.state);
  if (ours.length > 0) {
    context.host.messages.warning(
      `Not deleted yet: ${namesOf(ours)}. The next mlcli deploy deletes parts that endpoint ` +
        `${context.state.endpoint} no longer uses`,
    );
  }
  tellKept(others, context);
}

/** Warns of parts that the endpoint does not need and that mlcli did not create. */
function tellKept(
  others: readonly ExistingPart[],
  { state, host: { messages }, request: choice }: DeployContext,
): void {
  for (const part of others) {
    messages.warning(
      `Kept ${namesOf([part])}, which endpoint ${state.endpoint} does not use and mlcli did not ` +
        "create",
      `If nothing uses it, delete it: ${deletionByHand(part, choice)}`,
    );
  }
}

function tellCosts({ state: { endpoint }, host: { messages }, request }: DeployContext): void {
  messages.note(`The endpoint costs money until you delete it: ${deletionOf(endpoint, request)}`);
}
