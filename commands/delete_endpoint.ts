/**
 * `mlcli delete-endpoint`
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import type { AnyCommand } from "./command.ts";
import type { DeleteOptions } from "./delete_endpoint_action.ts";
import { withPlatformOptions } from "./platform_options.ts";

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
    .option("--timeout <seconds:string>", `With --wait: how long at most (${DEFAULT_TIMEOUT} s).`)
    .option("--dry-run", "Check everything, say what would be deleted, delete nothing.")
    .example(
      "Delete an endpoint with its configuration",
      "mlcli delete-endpoint -n churn --delete-config",
    )
    .action(async (options: DeleteOptions) => {
      const { deleteEndpointAsAsked } = await import("./delete_endpoint_action.ts");
      await deleteEndpointAsAsked(context, options, DEFAULT_TIMEOUT);
    });
}
