import { command } from "../command.ts";
import { cloudOptions, progressOptions } from "../options/shared.ts";
import { options, type Values } from "../options/option.ts";
import { parseTimeLimit } from "../options/parsers.ts";

/** Three times as long as deletions with several instances are known to take. */
const DEFAULT_TIMEOUT = "30m";

const OPTIONS = options({
  "-n, --endpoint-name NAME": {
    description: "Endpoint to delete",
    required: true,
  },
  ...cloudOptions,
  // It chooses the region. No variable: where something is deleted has to be typed.
  "--app-name": { ...cloudOptions["--app-name"], variable: undefined },
  "--delete-config": {
    description: "Also delete the configuration NAME-config, and NAME-config-2 if mlcli created it",
  },
  "--delete-model": { description: "Also delete the models that mlcli created for the endpoint" },
  "--wait": { description: "Wait until the endpoint is deleted" },
  "--timeout DURATION": {
    description: `Maximum time for --wait (default: ${DEFAULT_TIMEOUT})`,
    default: DEFAULT_TIMEOUT,
    onlyWith: "--wait",
    parse: parseTimeLimit,
  },
  ...progressOptions,
  "-y, --yes": { description: "Don't ask for confirmation (mlcli asks only on a terminal)" },
  "--dry-run": {
    description: "Print the names of the resources to delete, without deleting the resources",
  },
});

export type DeleteEndpointOptions = Values<typeof OPTIONS>;

export default command({
  usesApps: true,
  details: "The endpoint stops serving immediately. You cannot undo the deletion. mlcli lists " +
    "the remaining configurations and models. mlcli never deletes images, or artifacts " +
    "in S3.",
  options: OPTIONS,
  examples: [[
    "Delete an endpoint and everything that mlcli created for it",
    "mlcli delete-endpoint -n shop --delete-config --delete-model",
  ]],
  action: async (context, options) =>
    await (await import("./delete_endpoint_action.ts")).deleteEndpointAction(context, options),
});
