import type { PlacedData } from "../../runtime/contract/processing_data.ts";
import { type Command, command } from "../command.ts";
import { jobOptions, parseDirectory } from "../options/container.ts";
import { hostOptions } from "../options/hosts.ts";
import { options, type Values } from "../options/option.ts";
import { pipOptions, processProgramOptions } from "../options/program.ts";

const placeOf = ({ place }: PlacedData<string | undefined>): string | undefined => place;

const OPTIONS = options({
  "[-- args...]": {},
  ...jobOptions,
  "--file": {
    short: "-f",
    value: "file",
    description: "Script in processing/, for an image of mlcli build.",
    completion: "script",
    path: "inner",
  },
  ...processProgramOptions,
  "--input": {
    short: "-i",
    value: "dir",
    description: "[NAME[:PATH]=]DIR: the code finds DIR at /opt/ml/processing/input/NAME, or at " +
      "PATH below /opt/ml/processing. Default: input/data/processing. May be repeated.",
    repeatable: true,
    path: placeOf,
    parse: parseDirectory("input"),
  },
  "--output-dir": {
    short: "-o",
    value: "dir",
    description:
      "NAME[:PATH][=DIR]: keep /opt/ml/processing/output/NAME, or PATH, in DIR, which has " +
      "to be empty or new. Default: output/NAME. A DIR with a slash (./DIR) and no NAME keeps all " +
      "of /opt/ml/processing/output. May be repeated.",
    repeatable: true,
    path: placeOf,
    parse: parseDirectory("output"),
  },
  "--copy-inputs": {
    description: "Give the run a copy of the data, which it may write to, as on SageMaker.",
  },
  ...pipOptions,
  ...hostOptions,
  "--input-sharded": { description: "--shard for all inputs." },
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
      "mlcli local process --image team/torch:2 --entry-point my_code.py -i my_data",
    ],
    [
      "Run what any image holds",
      "mlcli local process --command python3 -- /opt/program/my_code.py --rows 10",
    ],
  ],
  action: async () => (await import("./process_action.ts")).processAction,
});
