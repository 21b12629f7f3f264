import { type Command, command } from "../command.ts";
import { containerOptions } from "../options/container.ts";
import { pipOptions, serverProgramOptions } from "../options/program.ts";
import { options, type Values } from "../options/option.ts";
import { parseSeconds } from "../options/parsers.ts";
import { transformOptions } from "../options/transform.ts";

/** How long SageMaker lets the server of a transform job start, in seconds. */
const START = "1800";

const OPTIONS = options({
  "[path]": { path: "typed" },
  ...containerOptions,
  "--input": {
    short: "-i",
    value: "path",
    description: "File to transform, or directory of files, instead of PATH.",
    path: "typed",
  },
  "--output-dir": {
    short: "-o",
    value: "dir",
    description: "Where the results go, NAME.out for each file. Default: output/transform.",
    path: "typed",
  },
  ...transformOptions,
  ...serverProgramOptions,
  ...pipOptions,
  "--run": {
    value: "name",
    description: "Run whose model to use; last is the newest that has one.",
    completion: "model-run",
  },
  "--timeout": {
    value: "seconds",
    description: "How long the server may take to start.",
    default: START,
    parse: parseSeconds,
  },
  "--dry-run": {
    description: "Print how many requests of which sizes there would be, as JSON, and send none.",
  },
});

export type TransformDeclaration = typeof OPTIONS;

export type TransformOptions = Values<TransformDeclaration>;

export const transformCommand: Command = command({
  details:
    "Starts the app's server as a transform job on SageMaker does, sends it the records of " +
    "the file or directory PATH, and writes NAME.out for each. If a request for a file fails, that " +
    "file has no result; mlcli continues with the others, and exits with 1.",
  options: OPTIONS,
  examples: [
    ["Transform a file, line by line", "mlcli local transform houses.csv"],
    [
      "Keep the first column, an id, from the model, and put the answers beside it",
      "mlcli local transform houses.csv --input-filter '$[1:]' --join input",
    ],
    ["Transform a directory of images", "mlcli local transform photos --content-type image/png"],
    ["See the requests without sending them", "mlcli local transform houses.csv --dry-run"],
  ],
  action: async () => (await import("./transform_action.ts")).transformAction,
});
