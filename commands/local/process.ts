/**
 * `mlcli local process`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { containerOptions } from "../options/container.ts";
import { options, type Values } from "../options/option.ts";

const OPTIONS = options({
  ...containerOptions,
  "--file": {
    short: "-f",
    value: "file",
    description: "The script, relative to processing/.",
    required: true,
    completion: "script",
  },
  "--input": {
    value: "dir",
    description: "A directory instead of input/data/processing, read-only.",
    completion: "file",
  },
});

/** Options of `local process`. */
export type ProcessOptions = Values<typeof OPTIONS>;

/** Runs a processing script on the test data. */
export const processCommand: Command = command({
  options: OPTIONS,
  examples: [["Run processing/processing.py", "mlcli local process --file processing.py"]],
  action: async () => (await import("./process_action.ts")).processAction,
});
