/**
 * `mlcli delete-endpoint`
 *
 * @module
 */

import { Command, ValidationError } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import {
  deleteConfiguration,
  deleteEndpoint,
  type DeletionPlan,
  type DeletionReport,
  planDeletion,
} from "../runtime/platform/deletion.ts";
import { checkEndpointName, configurationOf } from "../runtime/platform/names.ts";
import { waiting, waitUntilGone } from "../runtime/platform/waiting.ts";
import type { AnyCommand } from "./command.ts";
import { checkSeconds } from "./options.ts";
import { type CloudOptions, openPlatform, withPlatformOptions } from "./platform_options.ts";
import { ProgressLine } from "./progress.ts";

interface Options extends CloudOptions {
  readonly endpointName: string;
  readonly deleteConfig?: boolean;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly dryRun?: boolean;
}

/** Three times what a deletion with several instances is known to take. */
const DEFAULT_TIMEOUT = 1800;

/** Deletes an endpoint and, when asked to, its configuration. */
export function deleteEndpointCommand(context: Context): AnyCommand {
  const command: AnyCommand = new Command()
    .description(
      "Delete an inference endpoint. It stops serving at once, and for good. Its configuration " +
        "is kept unless you ask; model artifacts and images always are.",
    )
    .option("-n, --endpoint-name <name:string>", "Endpoint to delete.", { required: true });
  return withPlatformOptions(command)
    .option("--delete-config", "Delete the endpoint configuration NAME-config too.")
    .option("--wait", "Return when the endpoint is gone.")
    .option("--timeout <seconds:integer>", `With --wait: how long at most (${DEFAULT_TIMEOUT} s).`)
    .option("--dry-run", "Check everything, say what would be deleted, delete nothing.")
    .example(
      "Delete an endpoint with its configuration",
      "mlcli delete-endpoint -n churn --delete-config",
    )
    .action((options: Options) => deleteEndpointAsAsked(context, options));
}

async function deleteEndpointAsAsked(context: Context, options: Options): Promise<void> {
  const timeout = timeoutOf(options);
  checkEndpointName(options.endpointName);
  const platform = await openPlatform(context, options);
  using line = new ProgressLine(context.err);
  const report: DeletionReport = {
    progress: (text) => line.show(text),
    note(text) {
      line.clear();
      context.err.print(`${text}\n`);
    },
  };
  const plan = await planDeletion(platform, {
    endpoint: options.endpointName,
    withConfiguration: options.deleteConfig ?? false,
    wait: options.wait ?? false,
  }, report);
  line.clear();
  if (options.dryRun) return context.out.print(dryRunText(plan));
  await deleteEndpoint(platform, plan, report);
  try {
    context.out.print(`${plan.endpoint}\n`);
  } finally {
    // Even when nobody reads the name: the rest of what was asked for is not left out.
    await deleteConfiguration(platform, plan, report);
  }
  if (options.wait) {
    await waitUntilGone(platform, plan, report, waiting(timeout, context.interruption.signal));
  }
}

function timeoutOf({ wait, timeout }: Options): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT;
  if (!wait) throw new ValidationError('Option "--timeout" is of use with "--wait" only.');
  return checkSeconds("--timeout", timeout);
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
