/**
 * Deleting an endpoint: everything is checked before anything is deleted.
 *
 * @module
 */

import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { EndpointDescription } from "../../aws/sagemaker_endpoints.ts";
import { configurationOf, isPossibleName } from "../../contract/endpoint_names.ts";
import { Interrupted } from "../../errors.ts";
import { findOtherUsers, isInUse, type LookReport } from "./other_users.ts";

/** What to delete. */
export interface DeletionRequest {
  readonly endpoint: string;
  /** Delete `{endpoint}-config` too. */
  readonly withConfiguration: boolean;
  /** Whether the caller is going to wait, which needs the permission to describe the endpoint. */
  readonly wait: boolean;
}

/** Tells the user what happens. */
export type DeletionReport = LookReport;

/** What the checks found, and so what is to be deleted. */
export interface DeletionPlan {
  readonly endpoint: string;
  /** What the service says about the endpoint; `undefined` when it may not be asked. */
  readonly description: EndpointDescription | undefined;
  /** The configuration to delete after the endpoint. */
  readonly configuration: string | undefined;
}

/** In these states the service changes the endpoint by itself, and refuses to delete it. */
const UPDATING: ReadonlySet<string> = new Set([
  "Creating",
  "Updating",
  "SystemUpdating",
  "RollingBack",
]);

const REMEDY = "Delete the endpoints that use it first, or leave out --delete-config.";

/**
 * Finds out whether the endpoint can be deleted. Changes nothing.
 *
 * A check that the permissions do not cover is left out with a note, since the specification
 * requires only the permissions to delete.
 *
 * @throws AwsError when there is no such endpoint, it is being updated, or others use its
 * configuration.
 */
export async function planDeletion(
  sagemaker: SageMaker,
  request: DeletionRequest,
  report: DeletionReport,
): Promise<DeletionPlan> {
  const { endpoint } = request;
  const description = await describeIfAllowed(sagemaker, request, report);
  if (description && UPDATING.has(description.status)) {
    throw isUpdating(endpoint, description.status);
  }
  const configuration = configurationOf(endpoint);
  if (!request.withConfiguration) return { endpoint, description, configuration: undefined };
  if (!isPossibleName(configuration)) {
    report.note(`${configuration} is longer than names can be: no such configuration to delete.`);
    return { endpoint, description, configuration: undefined };
  }
  if (description) {
    const looked = { configurations: [configuration] };
    const users = await findOtherUsers(sagemaker, endpoint, looked, report);
    const names = users.configurations.get(configuration);
    if (names) throw isInUse(configuration, names, REMEDY);
  }
  return { endpoint, description, configuration };
}

async function describeIfAllowed(
  sagemaker: SageMaker,
  { endpoint, withConfiguration, wait }: DeletionRequest,
  report: DeletionReport,
): Promise<EndpointDescription | undefined> {
  try {
    return await sagemaker.describeEndpoint(endpoint);
  } catch (error) {
    if (!isRefusal(error, "denied")) throw error;
    if (wait) throw cannotWait(error);
    const others = withConfiguration
      ? `, nor whether another endpoint uses ${configurationOf(endpoint)}`
      : "";
    report.note(`Status of ${endpoint} not checked${others}: ${error.message}`);
    return undefined;
  }
}

/**
 * Deletes the endpoint, unless that is being deleted already. After an interruption a note says
 * what is left.
 *
 * @throws AwsError when there is no such endpoint, or it is being updated.
 */
export async function deletePlannedEndpoint(
  sagemaker: SageMaker,
  { endpoint, description, configuration }: DeletionPlan,
  report: DeletionReport,
): Promise<void> {
  if (description?.status === "Deleting") {
    report.note(`${endpoint} is being deleted already.`);
    return;
  }
  try {
    await sagemaker.deleteEndpoint(endpoint);
  } catch (error) {
    if (error instanceof Interrupted) {
      const rest = configuration ? `, its configuration ${configuration} is not` : "";
      report.note(`Interrupted: ${endpoint} may be deleted${rest}.`);
    }
    throw isRefusal(error, "in progress") ? isUpdating(endpoint, "in progress") : error;
  }
}

/**
 * Deletes the endpoint's configuration, after the endpoint, and notes what is kept, or what an
 * interruption leaves.
 * @throws AwsError when the service refuses; its hint says what is deleted and what is not.
 */
export async function deletePlannedConfiguration(
  sagemaker: SageMaker,
  { endpoint, description, configuration }: DeletionPlan,
  report: DeletionReport,
): Promise<void> {
  const used = description?.configuration;
  const kept = used && used !== configurationOf(endpoint)
    ? `kept ${used}, which ${endpoint} used`
    : undefined;
  if (!configuration) return;
  try {
    await sagemaker.deleteEndpointConfiguration(configuration);
  } catch (error) {
    if (error instanceof Interrupted) {
      report.note(
        `Interrupted: ${endpoint} is deleted, its configuration ${configuration} may be.`,
      );
    }
    if (!(error instanceof AwsError)) throw error;
    if (error.refusal !== "not found") throw configurationKept(error, endpoint, configuration);
    const consequence = kept ?? "nothing else was deleted";
    return report.note(`Endpoint configuration ${configuration} does not exist; ${consequence}.`);
  }
  if (kept) report.note(`Endpoint configuration: ${kept}; deleted ${configuration}.`);
}

function isUpdating(endpoint: string, status: string): AwsError {
  return new AwsError(
    "in progress",
    `Endpoint is updating, cannot delete: ${endpoint} (${status})`,
    { hint: "Wait until mlcli list-endpoints shows InService or Failed, then delete it." },
  );
}

function cannotWait(error: AwsError): AwsError {
  return new AwsError(error.refusal, error.message, {
    hint: `Nothing was deleted. --wait has to describe the endpoint: add the permission, ` +
      "or leave out --wait.",
    quote: error.quote,
    cause: error.cause,
  });
}

function configurationKept(
  error: AwsError,
  endpoint: string,
  configuration: string,
): AwsError {
  return new AwsError(error.refusal, error.message, {
    hint: `${endpoint} is deleted, its configuration ${configuration} is not. ${error.hint} ` +
      `Then: aws sagemaker delete-endpoint-config --endpoint-config-name ${configuration}`,
    quote: error.quote,
    cause: error.cause,
  });
}
