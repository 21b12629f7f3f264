/**
 * `mlcli local status`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { appName } from "../options/app.ts";
import { options, type Values } from "../options/option.ts";
import { outputFormat } from "../options/output.ts";

const OPTIONS = options({
  "--app-name": {
    ...appName["--app-name"],
    description: "Only those of this app.",
    variable: undefined,
  },
  ...outputFormat,
});

/** Options of `local status`. */
export type StatusOptions = Values<typeof OPTIONS>;

/** Shows the servers and runs of mlcli. */
export const statusCommand: Command = command({
  options: OPTIONS,
  examples: [
    ["See what is running, and whether it is healthy", "mlcli local status"],
    ["The same for another program", "mlcli local status --output json"],
  ],
  action: async () => (await import("./status_action.ts")).statusAction,
});
