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
});

/** Options of `local stop`. */
export type StopOptions = Values<typeof OPTIONS>;

/** Stops a server that `local deploy` started. */
export const stopCommand: Command = command({
  options: OPTIONS,
  examples: [["Stop the server on port 8081", "mlcli local stop --port 8081"]],
  action: async () => (await import("./stop_action.ts")).stopAction,
});
