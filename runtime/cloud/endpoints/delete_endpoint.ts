/**
 * `delete-endpoint`: deletes an endpoint and, when asked to, its configurations and models.
 *
 * @module
 */

import type { Setting } from "../../aws/settings.ts";
import { checkEndpointName } from "../../contract/names.ts";
import { type CloudChoice, type CloudHost, connectToAws } from "../connection.ts";
import { type DeletionPlan, type DeletionReport, planDeletion } from "./deletion.ts";
import { deletePlannedEndpoint, deletePlannedThings } from "./carry_out.ts";
import { waitUntilGone } from "./endpoint_gone.ts";

/** What to delete, and how. */
export interface EndpointDeletion {
  readonly endpoint: string;
  readonly choice: CloudChoice;
  /** Delete `{endpoint}-config` too, and the second one that `deploy` makes. */
  readonly withConfiguration: boolean;
  /** Delete the models too that mlcli made for it. */
  readonly withModel: boolean;
  /** Find out what would be deleted, and delete nothing. */
  readonly dryRun: boolean;
  /** Return when the endpoint is gone. */
  readonly wait: boolean;
  /** How long to wait at most, in seconds. */
  readonly timeout: number;
}

/** What is told on the way. */
export interface EndpointDeletionReport extends DeletionReport {
  /** What is going to be deleted, and in which region. */
  planned(plan: DeletionPlan, region: Setting): void;
  /** The service has begun to delete the endpoint. */
  deleted(endpoint: string): void;
}

/**
 * Deletes the endpoint. Everything is asked before anything is deleted.
 *
 * @throws UsageError when no endpoint can have that name.
 * @throws AwsError when it is not there, is being updated, its configuration is in use, or the
 * service refuses.
 */
export async function deleteEndpoint(
  deletion: EndpointDeletion,
  host: CloudHost,
  report: EndpointDeletionReport,
): Promise<void> {
  checkEndpointName(deletion.endpoint);
  const sagemaker = await (await connectToAws(deletion.choice, host)).sagemaker();
  const plan = await planDeletion(sagemaker, deletion, report);
  report.planned(plan, sagemaker.region);
  if (deletion.dryRun) return;
  await deletePlannedEndpoint(sagemaker, plan, report);
  try {
    report.deleted(plan.endpoint);
  } finally {
    // Also where nobody reads the name any more: this too was asked for.
    await deletePlannedThings(sagemaker, plan, report, deletion.choice);
  }
  if (!deletion.wait) return;
  await waitUntilGone(sagemaker, plan, report, host, deletion.timeout);
}
