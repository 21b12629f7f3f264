/**
 * What `mlcli delete-endpoint` does.
 *
 * @module
 */

import { regionWords, type Setting } from "../../runtime/aws/settings.ts";
import { connectToSageMaker } from "../../runtime/cloud/connection.ts";
import {
  deleteConfiguration,
  deleteEndpoint,
  type DeletionPlan,
  type DeletionReport,
  planDeletion,
} from "../../runtime/cloud/deletion.ts";
import { waitUntilGone } from "../../runtime/cloud/endpoint_gone.ts";
import { waiting } from "../../runtime/cloud/waiting.ts";
import type { Context } from "../../runtime/context.ts";
import { checkEndpointName, configurationOf } from "../../runtime/contract/endpoint_names.ts";
import { ProgressLine } from "../render/progress.ts";
import type { DeleteEndpointOptions } from "./delete_endpoint.ts";

/** Deletes an endpoint and, when asked to, its configuration; waits when asked to. */
export async function deleteEndpointAction(
  context: Context,
  options: DeleteEndpointOptions,
): Promise<void> {
  checkEndpointName(options.endpointName);
  const sagemaker = await connectToSageMaker(options, context);
  using line = new ProgressLine(context.err);
  const report: DeletionReport = {
    progress: (text) => line.show(text),
    note(text) {
      line.clear();
      context.err.print(`${text}\n`);
    },
  };
  const plan = await planDeletion(sagemaker, {
    endpoint: options.endpointName,
    withConfiguration: options.deleteConfig,
    wait: options.wait,
  }, report);
  line.clear();
  if (context.err.isTerminal) context.err.print(`${whereabouts(plan, sagemaker.region)}\n`);
  if (options.dryRun) return context.out.print(dryRunText(plan));
  await deleteEndpoint(sagemaker, plan, report);
  try {
    context.out.print(`${plan.endpoint}\n`);
  } finally {
    // Also where nobody reads the name any more: this too was asked for.
    await deleteConfiguration(sagemaker, plan, report);
  }
  if (options.wait) {
    await waitUntilGone(
      sagemaker,
      plan,
      report,
      waiting(options.timeout, context.interruption.signal),
    );
  }
}

/** For who types the command, before it is too late: which account, and which region. */
function whereabouts({ endpoint, description }: DeletionPlan, region: Setting): string {
  const { status, account } = description ?? {};
  const known = [status, account && `account ${account}`, regionWords(region)];
  return `${endpoint}: ${known.filter((part) => part).join(", ")}`;
}

/** What would be deleted and what kept, a line each. */
function dryRunText({ endpoint, description, configuration }: DeletionPlan): string {
  const used = description?.configuration;
  const usesOther = used !== undefined && used !== configurationOf(endpoint);
  const lines = [
    `Would delete endpoint ${endpoint} (${description?.status ?? "status not known"})`,
    configuration === undefined
      ? undefined
      : `Would delete endpoint configuration ${configuration}${
        usesOther ? ", if there is one" : ""
      }`,
    used === undefined || used === configuration
      ? undefined
      : `Would keep endpoint configuration ${used}`,
  ];
  return lines.filter((line) => line !== undefined).map((line) => `${line}\n`).join("");
}
