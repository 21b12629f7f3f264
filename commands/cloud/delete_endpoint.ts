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
  "--delete-config": {
    description: "Delete the endpoint configuration NAME-config too, and mlcli's NAME-config-2.",
  },
  "--delete-model": { description: "Delete the models too that mlcli made for it." },
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

/** Deletes an endpoint and, when asked to, its configurations and models. */
export const deleteEndpointCommand: Command = command({
  details: "It stops serving at once, and for good. Its configuration and models are kept unless " +
    "you ask, and what is left is told; artifacts in S3 and images always are.",
  options: OPTIONS,
  examples: [[
    "Delete an endpoint with all that mlcli made for it",
    "mlcli delete-endpoint -n churn --delete-config --delete-model",
  ]],
  action: async () => (await import("./delete_endpoint_action.ts")).deleteEndpointAction,
});
