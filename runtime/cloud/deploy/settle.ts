/**
 * The end of a deployment: the endpoint has settled. What served before goes last, once the new one is
 * known to serve; what never served goes, too.
 *
 * @module
 */

import { AwsError, withMore } from "../../aws/errors.ts";
import { Interrupted } from "../../errors.ts";
import { deletionByHand, deletionOf, type Part } from "../endpoints/parts.ts";
import { waitUntilGone } from "../endpoints/delete_endpoint.ts";
import { type FollowedEndpoint, followEndpoint } from "../endpoints/follow_endpoint.ts";
import type { Made } from "./making.ts";
import { isStillOwn } from "./own.ts";
import { deployedByAnother, failureOf } from "./outcome.ts";
import { endpointTags } from "./plan.ts";
import { deleteUnused, namesOf, tellLeft, tellUnused, undo } from "./removal.ts";
import { mayBeComing, unusedBeside } from "./unused.ts";
import type { Work } from "./work.ts";

/** How long a failed endpoint is waited for until it is gone, in seconds. */
const GONE_SECONDS = 120;

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
  const settled = await orTellBefore(
    coming,
    work,
    () =>
      followEndpoint(endpoint, aws, host, report, {
        target: coming.configuration,
        timeout: request.timeout,
        choice,
      }),
  );
  if (settled.outcome !== "in service") throw await failed(settled, coming, work);
  tellCosts(work);
  await orTellUnused(coming, work, async () => {
    await requireOwn(coming, work);
    if (withOwnTags) await tagEndpoint(work);
  });
  await cleanUp(coming, work);
  report.result(endpoint);
}

/** Where nobody waits any longer, what the endpoint is not going to need is named. */
async function orTellBefore(
  coming: Coming,
  work: Work,
  follow: () => Promise<FollowedEndpoint>,
): Promise<FollowedEndpoint> {
  let isOver = false;
  try {
    const settled = await follow();
    isOver = settled.outcome !== "not yet";
    return settled;
  } catch (error) {
    // A failure to ask says nothing of what goes on.
    isOver = !(error instanceof Interrupted || error instanceof AwsError);
    throw error;
  } finally {
    if (!isOver) tellServedBefore(coming, work);
  }
}

function tellServedBefore(coming: Coming, work: Work): void {
  const { state, report } = work;
  const { endpoint } = state;
  const { ours, others } = unusedBeside(coming, state);
  if (ours.length > 0) {
    report.note(
      `Not deleted yet: ${
        namesOf(ours)
      }. The next deploy deletes what ${endpoint} does not use then.`,
    );
  }
  tellKept(others, work);
}

/** Where it is interrupted while it serves, what it needs no more is named. */
async function orTellUnused(
  serves: Pick<Coming, "configuration" | "model">,
  work: Work,
  rest: () => Promise<void>,
): Promise<void> {
  const { state, report, choice } = work;
  try {
    await rest();
  } catch (error) {
    if (error instanceof Interrupted) {
      report.note(`${state.endpoint} serves what was asked for.`);
      const { ours, others } = unusedBeside(serves, state);
      tellUnused(ours, { report, choice });
      tellKept(others, work);
    }
    throw error;
  }
}

/** What has become of it. What was made for it is deleted, or named. */
async function failed(
  settled: FollowedEndpoint,
  { made, created }: Coming,
  work: Work,
): Promise<AwsError> {
  const { request, state, aws, choice } = work;
  const { endpoint, description } = state;
  const isNew = description === undefined || description.status === "Creating";
  const awaited = { endpoint, isNew, since: created, timeout: request.timeout, choice };
  if (settled.outcome === "not yet") return await failureOf(settled, awaited, aws);
  const isGone = isNew && settled.outcome === "failed" && await deleteFailed(settled, made, work);
  // First of all: whoever interrupts what follows finds nothing left.
  const isAllGone = await undo(made, { endpoint, isAsked: !isGone }, work);
  const error = await failureOf(settled, awaited, aws);
  return isAllGone ? withMore(error, "What was made for it is deleted.") : error;
}

/**
 * Deletes an endpoint that never served, so that the next deploy can begin anew.
 * @returns whether it needs nothing any more.
 */
async function deleteFailed(
  { description }: FollowedEndpoint,
  made: readonly Made[],
  work: Work,
): Promise<boolean> {
  const { state: { endpoint }, sagemaker, host, report, choice } = work;
  let isDeleted = false;
  try {
    await sagemaker.deleteEndpoint(endpoint);
    isDeleted = true;
    report.note(`Deleted endpoint ${endpoint}, which never served`);
    await waitUntilGone(sagemaker, { endpoint, description }, report, host, GONE_SECONDS);
  } catch (error) {
    if (error instanceof Interrupted) {
      tellLeft(made, { report, choice });
      report.note(`The endpoint has failed. To delete all: ${deletionOf(endpoint, choice)}`);
    }
    if (!(error instanceof AwsError)) throw error;
    const rest = isDeleted ? "" : ` To delete it: ${deletionOf(endpoint, choice)}`;
    report.note(`${error.message}.${rest}`);
  }
  return isDeleted;
}

/** @throws AwsError where what serves under the configuration's name is not what was made. */
async function requireOwn(
  { configuration, created, made }: Coming,
  { sagemaker, state: { endpoint }, choice }: Work,
): Promise<void> {
  const things = [
    ...made.filter(({ kind }) => kind === "model"),
    { kind: "configuration", name: configuration, created } as const,
  ];
  for (const one of things) {
    if (!await isStillOwn(one, sagemaker)) throw deployedByAnother(endpoint, choice);
  }
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

/**
 * Says that it serves what is asked for, and deletes what is left beside that, but for what another
 * command may be about to have it serve.
 */
export async function leaveAsItIs(work: Work): Promise<void> {
  const { request, state, host, report, choice } = work;
  const { endpoint, base } = state;
  const serves = { configuration: base!.name, model: base!.models[0] ?? "" };
  report.note(`${endpoint} serves that already: nothing to change`);
  tellCosts(work);
  if (Object.keys(request.tags).length > 0) {
    await orTellUnused(serves, work, () => tagEndpoint(work));
  }
  const unused = unusedBeside(serves, state).ours;
  const coming = mayBeComing(unused, state, host.clock.date());
  for (const thing of coming) {
    report.note(
      `There is ${thing.name}, which nothing uses yet: somebody deploys, or was interrupted. To ` +
        `delete it: ${deletionByHand(thing, choice)}`,
    );
  }
  const old = unused.filter((thing) => !coming.includes(thing));
  await deleteUnused(old, endpoint, work);
  report.result(endpoint);
}

/** Deletes what the endpoint needs no more; what mlcli did not make is named. */
async function cleanUp(
  serves: { readonly configuration: string; readonly model: string },
  work: Work,
): Promise<void> {
  const { state } = work;
  const unused = unusedBeside(serves, state);
  try {
    await deleteUnused(unused.ours, state.endpoint, work);
  } finally {
    tellKept(unused.others, work);
  }
}

/** Names what is not mlcli's. */
function tellKept(
  others: readonly Part[],
  { state, report, choice }: Pick<Work, "state" | "report" | "choice">,
): void {
  for (const thing of others) {
    report.note(
      `Kept ${namesOf([thing])}, which ${state.endpoint} does not need and mlcli did not make. ` +
        `To delete it, once nothing uses it: ${deletionByHand(thing, choice)}`,
    );
  }
}

function tellCosts({ state: { endpoint }, report, choice }: Work): void {
  report.note(`It costs money until it is deleted: ${deletionOf(endpoint, choice)}`);
}
