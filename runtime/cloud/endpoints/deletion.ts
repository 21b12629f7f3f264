/**
 * What a deletion of an endpoint deletes: everything is checked before anything is deleted.
 *
 * @module
 */

import { AwsError, isRefusal, withHint } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { EndpointDescription } from "../../aws/sagemaker_endpoints.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { configurationOf, isPossibleName, slotsOf } from "../../contract/names.ts";
import { type Belongings, belongingsOf, hasOurTag, type Known } from "./belongings.ts";
import type { Belonging } from "./commands.ts";
import { remainderOf } from "./remainder.ts";
import { findOtherUsers, isInUse, type LookReport } from "./other_users.ts";

/** What to delete. */
export interface DeletionRequest {
  readonly endpoint: string;
  /** Delete its configurations too. */
  readonly withConfiguration: boolean;
  /** Delete the models too that mlcli made for it. */
  readonly withModel: boolean;
  /** Whether the caller is going to wait, which needs the permission to describe the endpoint. */
  readonly wait: boolean;
  /** The options of the command, for command lines to paste. */
  readonly choice: AwsOptions;
}

/** Tells the user what happens. */
export type DeletionReport = LookReport;

/** Something to delete, or to keep. */
export interface Planned extends Belonging {
  /** `undefined` where nobody may ask. */
  readonly isThere: boolean | undefined;
}

/** What the checks found, and so what is to be deleted. */
export interface DeletionPlan {
  readonly endpoint: string;
  /** What the service says about the endpoint; `undefined` when it may not be asked. */
  readonly description: EndpointDescription | undefined;
  /** Whether the endpoint is gone, and only what is left of it is to be deleted. */
  readonly isGone?: boolean;
  /** To delete after the endpoint, in this order. */
  readonly things: readonly Planned[];
  /** What stays. */
  readonly kept: readonly Planned[];
}

/** In these states the service changes the endpoint by itself, and refuses to delete it. */
const UPDATING: ReadonlySet<string> = new Set([
  "Creating",
  "Updating",
  "SystemUpdating",
  "RollingBack",
]);

/**
 * Finds out whether the endpoint can be deleted, and what with it. Changes nothing.
 *
 * A check that the permissions do not cover is left out with a note, since the specification
 * requires only the permissions to delete.
 *
 * @throws AwsError when there is no such endpoint and nothing of it to delete
 * (its hint tells what is left), it is being
 * updated, or others use what is to be deleted.
 */
export async function planDeletion(
  sagemaker: SageMaker,
  request: DeletionRequest,
  report: DeletionReport,
): Promise<DeletionPlan> {
  const { endpoint, withConfiguration } = request;
  const description = await describeIfAllowed(sagemaker, request, report);
  if (description instanceof AwsError) {
    const { things, kept } = await remainderOf(sagemaker, request, description, report);
    await checkUsers(sagemaker, request, things, report);
    return {
      ...{ endpoint, description: undefined, isGone: true },
      ...{ things: things.map(planned), kept: kept.map(planned) },
    };
  }
  if (description && UPDATING.has(description.status)) {
    throw isUpdating(endpoint, description.status);
  }
  if (withConfiguration && !isPossibleName(configurationOf(endpoint))) {
    report.note(
      `${configurationOf(endpoint)} is longer than names can be: no such configuration to delete.`,
    );
  }
  const belongings = await belongingsOf(sagemaker, endpoint, description?.configuration);
  const { configurations, models } = belongings;
  noteDenials(belongings, request, report);
  const things: Known[] = [];
  for (const one of configurations) {
    if (await isToGo(sagemaker, one, request, description, report)) things.push(one);
  }
  for (const one of models) {
    if (await isModelToGo(sagemaker, one, request, belongings, report)) things.push(one);
  }
  const kept = [...configurations, ...models].filter((one) =>
    !things.includes(one) && (one.isThere ?? one.name === description?.configuration)
  );
  if (description) await checkUsers(sagemaker, request, things, report);
  return { endpoint, description, things: things.map(planned), kept: kept.map(planned) };
}

function planned({ kind, name, isThere }: Known): Planned {
  return { kind, name, isThere };
}

/**
 * The first configuration goes by its name, as the specification says; the second, which others may
 * have called so, where it is in use or has our tag.
 */
async function isToGo(
  sagemaker: SageMaker,
  configuration: Known,
  { endpoint, withConfiguration }: DeletionRequest,
  description: EndpointDescription | undefined,
  { note }: DeletionReport,
): Promise<boolean> {
  const { name, isThere } = configuration;
  const [first, second] = slotsOf(endpoint);
  if (!withConfiguration) return false;
  if (name === first.configuration) return true;
  if (name !== second.configuration) return false;
  if (description?.configuration === name) return true;
  return isThere === true && await hasOurTag(sagemaker, endpoint, configuration, note);
}

/** Models go by the names that mlcli gives them, and by its tag. */
async function isModelToGo(
  sagemaker: SageMaker,
  model: Known,
  { endpoint, withModel }: DeletionRequest,
  { configurations }: Belongings,
  { note }: DeletionReport,
): Promise<boolean> {
  if (!withModel || model.isThere === false) return false;
  if (slotsOf(endpoint).some((slot) => slot.model === model.name)) {
    // Where nobody may look, it is there if a configuration names it.
    const isNamed = configurations.some(({ models }) => models.includes(model.name));
    return model.isThere === true || isNamed || configurations.some(({ denial }) => denial);
  }
  return await hasOurTag(sagemaker, endpoint, model, note);
}

/** @throws AwsError where another endpoint uses what is to be deleted. */
async function checkUsers(
  sagemaker: SageMaker,
  { endpoint }: DeletionRequest,
  things: readonly Known[],
  report: DeletionReport,
): Promise<void> {
  const looked = things.filter(({ isThere }) => isThere !== false);
  if (looked.length === 0) return;
  const usersOf = await findOtherUsers(looked, endpoint, sagemaker, report);
  for (const thing of looked) {
    const names = usersOf(thing);
    const option = thing.kind === "model" ? "--delete-model" : "--delete-config";
    const remedy = `Delete the endpoints that use it first, or leave out ${option}.`;
    if (names.length > 0) throw isInUse(thing, names, remedy);
  }
}

/** What may not be asked, in a line. */
function noteDenials(
  { configurations, models }: Belongings,
  { endpoint, withConfiguration, withModel }: DeletionRequest,
  { note }: DeletionReport,
): void {
  const denied = [...configurations, ...models].flatMap(({ denial }) => denial ? [denial] : []);
  if (denied.length === 0) return;
  const messages = [...new Set(denied.map(({ message }) => message))].join("; ");
  const [, second] = slotsOf(endpoint);
  const what = [
    withConfiguration ? `whether there is ${second.configuration}` : "",
    withModel ? "which models it has" : "",
    "what is left of it",
  ].filter((part) => part).join(", ");
  note(`Not checked of ${endpoint}: ${what}: ${messages}`);
}

/** What the service says; its refusal, where the endpoint is not there. */
async function describeIfAllowed(
  sagemaker: SageMaker,
  request: DeletionRequest,
  report: DeletionReport,
): Promise<EndpointDescription | AwsError | undefined> {
  const { endpoint, withConfiguration, withModel, wait } = request;
  try {
    return await sagemaker.describeEndpoint(endpoint);
  } catch (error) {
    if (isRefusal(error, "not found")) return error;
    if (!isRefusal(error, "denied")) throw error;
    if (wait) throw cannotWait(error);
    const things = [
      withConfiguration ? configurationOf(endpoint) : "",
      withModel ? "its models" : "",
    ].filter((part) => part).join(" or ");
    const others = things === "" ? "" : `, nor whether another endpoint uses ${things}`;
    report.note(`Status of ${endpoint} not checked${others}: ${error.message}`);
    return undefined;
  }
}

/** The error for an endpoint that the service changes by itself. */
export function isUpdating(endpoint: string, status: string): AwsError {
  return new AwsError(
    "in progress",
    `Endpoint is updating, cannot delete: ${endpoint} (${status})`,
    { hint: "Wait until mlcli list-endpoints shows InService or Failed, then delete it." },
  );
}

function cannotWait(error: AwsError): AwsError {
  return withHint(
    error,
    "Nothing was deleted. --wait has to describe the endpoint: add the permission, or leave out " +
      "--wait.",
  );
}
