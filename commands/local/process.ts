/**
 * `mlcli local process`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { jobOptions } from "../options/container.ts";
import { options, type Values } from "../options/option.ts";

const OPTIONS = options({
  "[-- args...]": {},
  ...jobOptions,
  "--file": {
    short: "-f",
    value: "file",
    description: "The script, relative to processing/.",
    requiredUnless: "--entrypoint",
    completion: "script",
  },
  "--entrypoint": {
    value: "word",
    description:
      "Program to run instead of the image's own and a script. Each of its words by itself.",
    repeatable: true,
  },
  "--input": {
    value: "dir",
    description: "A directory instead of input/data/processing, read-only.",
    completion: "file",
  },
});

/** What `local process` declares. */
export type ProcessDeclaration = typeof OPTIONS;

/** Options of `local process`. */
export type ProcessOptions = Values<ProcessDeclaration>;

/** Runs a processing script, or a program of the image, on the test data. */
export const processCommand: Command = command({
  options: OPTIONS,
  examples: [
    ["Run processing/processing.py", "mlcli local process --file processing.py"],
    ["Give it arguments", "mlcli local process --file processing.py -- --rows 1000"],
    [
      "Run what any image holds",
      "mlcli local process --entrypoint python3 -- /opt/program/clean.py --rows 1000",
    ],
  ],
  action: async () => (await import("./process_action.ts")).processAction,
});
