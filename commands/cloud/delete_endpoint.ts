/**
 * `mlcli delete-endpoint`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { cloudOptions } from "../options/cloud.ts";
import { options, type Values } from "../options/option.ts";
import { parseSeconds } from "../options/parsers.ts";

/** In seconds: three times what a deletion with several instances is known to take. */
const DEFAULT_TIMEOUT = "1800";

const OPTIONS = options({
  "--endpoint-name": {
    short: "-n",
    value: "name",
    description: "Endpoint to delete.",
    required: true,
  },
  ...cloudOptions,
  // It chooses the region: where something is deleted is said by who deletes it.
  "--app-name": { ...cloudOptions["--app-name"], variable: undefined },
  "--delete-config": { description: "Delete the endpoint configuration NAME-config too." },
  "--wait": { description: "Return when the endpoint is gone." },
  "--timeout": {
    value: "seconds",
    description: `With --wait: how long at most (${DEFAULT_TIMEOUT} s).`,
    default: DEFAULT_TIMEOUT,
    onlyWith: "--wait",
    parse: parseSeconds,
  },
  "--dry-run": {
    description: "Check everything, say what would be deleted, delete nothing.",
  },
});

/** Options of `delete-endpoint`. */
export type DeleteEndpointOptions = Values<typeof OPTIONS>;

/** Deletes an endpoint and, when asked to, its configuration. */
export const deleteEndpointCommand: Command = command({
  details: "It stops serving at once, and for good. Its configuration is kept unless you ask; " +
    "model artifacts and images always are.",
  options: OPTIONS,
  examples: [[
    "Delete an endpoint with its configuration",
    "mlcli delete-endpoint -n churn --delete-config",
  ]],
  action: async () => (await import("./delete_endpoint_action.ts")).deleteEndpointAction,
});
