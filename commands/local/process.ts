import { type Command, command } from "../command.ts";
import { jobOptions } from "../options/container.ts";
import { options, type Values } from "../options/option.ts";

const OPTIONS = options({
  "[-- args...]": {},
  ...jobOptions,
  "--file": {
    short: "-f",
    value: "file",
    description: "Script in processing/.",
    requiredUnless: "--entrypoint",
    completion: "script",
  },
  "--entrypoint": {
    value: "word",
    description:
      "Program to run instead of a script. Repeat it for each further word of the program.",
    repeatable: true,
  },
  "--input": {
    value: "dir",
    description: "Directory to read instead of input/data/processing.",
    completion: "file",
  },
  "--copy-inputs": {
    description: "Copy the data for the run, which may write to it then, as on SageMaker.",
  },
});

export type ProcessDeclaration = typeof OPTIONS;

export type ProcessOptions = Values<ProcessDeclaration>;

export const processCommand: Command = command({
  options: OPTIONS,
  examples: [
    ["Run processing/processing.py", "mlcli local process --file processing.py"],
    ["Pass it arguments", "mlcli local process --file processing.py -- --rows 1000"],
    [
      "Run what any image holds",
      "mlcli local process --entrypoint python3 -- /opt/program/clean.py --rows 1000",
    ],
  ],
  action: async () => (await import("./process_action.ts")).processAction,
});
