/**
 * `mlcli local stop`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { serverOf } from "../options/app.ts";
import { options, type Values } from "../options/option.ts";
import { serverPort } from "../options/server.ts";

const OPTIONS = options({
  ...serverOf,
  ...serverPort,
  // What is removed is named by who removes it.
  "--port": { ...serverPort["--port"], variable: undefined },
  "--yes": { short: "-y", description: "Also the server of an app in another directory." },
});

/** Options of `local stop`. */
export type StopOptions = Values<typeof OPTIONS>;

/** Stops a server that `local deploy` started. */
export const stopCommand: Command = command({
  options: OPTIONS,
  examples: [
    ["Stop the server on port 8081", "mlcli local stop --port 8081"],
    ["Stop it though another directory's app serves there", "mlcli local stop -p 8081 --yes"],
  ],
  action: async () => (await import("./stop_action.ts")).stopAction,
});
