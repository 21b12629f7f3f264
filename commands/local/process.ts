import { type Command, command } from "../command.ts";
import { jobOptions, parseDirectory } from "../options/container.ts";
import { options, type Values } from "../options/option.ts";
import { pipOptions, processProgramOptions } from "../options/program.ts";

const OPTIONS = options({
  "[-- args...]": {},
  ...jobOptions,
  "--file": {
    short: "-f",
    value: "file",
    description: "Script in processing/, for an image of mlcli build.",
    completion: "script",
  },
  ...processProgramOptions,
  "--input": {
    short: "-i",
    value: "dir",
    description: "[NAME[:PATH]=]DIR, a directory to read at /opt/ml/processing/input/NAME, or at " +
      "PATH below /opt/ml/processing. Default: input/data/processing. May be repeated.",
    repeatable: true,
    completion: "file",
    parse: parseDirectory("input"),
  },
  "--output-dir": {
    short: "-o",
    value: "dir",
    description: "NAME[:PATH][=DIR], what is written to /opt/ml/processing/output/NAME, or to " +
      "PATH; DIR is empty or new. Default: output/NAME. With a slash in it (./DIR), all that is " +
      "written to /opt/ml/processing/output. May be repeated.",
    repeatable: true,
    completion: "file",
    parse: parseDirectory("output"),
  },
  "--copy-inputs": {
    description: "Copy the data for the run, which may write to it then, as on SageMaker.",
  },
  ...pipOptions,
});

export type ProcessDeclaration = typeof OPTIONS;

export type ProcessOptions = Values<ProcessDeclaration>;

export const processCommand: Command = command({
  details: "Runs a script of processing/ (--file), a file of your code in any image " +
    "(--entry-point), a program of the image (--command), or the image's own.",
  options: OPTIONS,
  examples: [
    ["Run processing/processing.py", "mlcli local process --file processing.py"],
    ["Pass it arguments", "mlcli local process --file processing.py -- --rows 1000"],
    [
      "Run your own script on an image that exists",
      "mlcli local process --image team/torch:2 --entry-point clean.py -i raw=data",
    ],
    [
      "Run what any image holds",
      "mlcli local process --command python3 -- /opt/program/clean.py --rows 1000",
    ],
  ],
  action: async () => (await import("./process_action.ts")).processAction,
});
