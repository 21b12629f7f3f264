/**
 * What `mlcli delete-endpoint` does.
 *
 * @module
 */

import { ValidationError } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import {
  deleteConfiguration,
  deleteEndpoint,
  type DeletionPlan,
  type DeletionReport,
  planDeletion,
} from "../runtime/cloud/deletion.ts";
import { checkEndpointName, configurationOf } from "../runtime/contract/endpoint_names.ts";
import { regionWords, type Setting } from "../runtime/aws/settings.ts";
import { waitUntilGone } from "../runtime/cloud/endpoint_gone.ts";
import { waiting } from "../runtime/cloud/waiting.ts";
import { openSageMaker } from "./open_platform.ts";
import { parseSeconds } from "./options.ts";
import type { CloudOptions } from "./platform_options.ts";
import { ProgressLine } from "./progress.ts";

/** Options of `delete-endpoint`. */
export interface DeleteOptions extends CloudOptions {
  readonly endpointName: string;
  readonly deleteConfig?: boolean;
  readonly wait?: boolean;
  readonly timeout?: string;
  readonly dryRun?: boolean;
}

/**
 * Deletes an endpoint and, when asked to, its configuration; waits when asked to.
 *
 * @param defaultTimeout longest wait in seconds where the options name none.
 */
export async function deleteEndpointAsAsked(
  context: Context,
  options: DeleteOptions,
  defaultTimeout: number,
): Promise<void> {
  const timeout = timeoutOf(options) ?? defaultTimeout;
  checkEndpointName(options.endpointName);
  const sagemaker = await openSageMaker(context, options);
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
    withConfiguration: options.deleteConfig ?? false,
    wait: options.wait ?? false,
  }, report);
  line.clear();
  if (context.err.isTerminal) context.err.print(`${whereabouts(plan, sagemaker.region)}\n`);
  if (options.dryRun) return context.out.print(dryRunText(plan));
  await deleteEndpoint(sagemaker, plan, report);
  try {
    context.out.print(`${plan.endpoint}\n`);
  } finally {
    // Even when nobody reads the name: the rest of what was asked for is not left out.
    await deleteConfiguration(sagemaker, plan, report);
  }
  if (options.wait) {
    await waitUntilGone(sagemaker, plan, report, waiting(timeout, context.interruption.signal));
  }
}

function timeoutOf({ wait, timeout }: DeleteOptions): number | undefined {
  if (timeout === undefined) return undefined;
  if (!wait) throw new ValidationError('Option "--timeout" is of use with "--wait" only.');
  return parseSeconds("--timeout", timeout);
}

/** What somebody who types the command should see before it is too late: the account, the region. */
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
