import { appCommand, type AppValues } from "../command.ts";
import { containerOptions } from "../options/container.ts";
import { pipOptions, serverProgramOptions } from "../options/program.ts";
import { options } from "../options/option.ts";
import { parseTimeLimit } from "../options/parsers.ts";
import { transformOptions } from "../options/transform.ts";
import { usageError } from "../usage.ts";

/** How long SageMaker waits for the server of a transform job to start. */
const START = "30m";

const OPTIONS = options({
  "[path]": { path: "typed" },
  "-i, --input PATH": {
    rare: true,
    description: "File or directory to transform; same effect as the argument PATH",
    path: "typed",
  },
  "-o, --output-dir DIR": {
    description: "Directory for the results, which are named FILE.out (default: output/transform)",
    path: "typed",
  },
  ...transformOptions,
  "--run RUN": {
    description: "Use the model of this run; last means the newest run with a model",
    completion: "model-run",
  },
  "--timeout DURATION": {
    rare: true,
    description: "Time limit for the server to start",
    default: START,
    parse: parseTimeLimit,
  },
  "--dry-run": {
    description: "Print the number and sizes of the requests as JSON, without sending the requests",
  },
  ...containerOptions,
  ...serverProgramOptions,
  ...pipOptions,
});

export type TransformValues = AppValues<typeof OPTIONS>;

export default appCommand({
  details: "mlcli starts the app's server like a transform job on SageMaker. PATH is a file " +
    "or a directory. mlcli sends the records in PATH to the server, and saves the " +
    "responses for each file as FILE.out. If a request for a file fails, mlcli saves " +
    "no result for this file, continues with the other files and exits with 1.",
  options: OPTIONS,
  usesEngine: true,
  check: ({ path, input }, command) => {
    if (path === undefined && input === undefined) {
      throw usageError(command, "Missing argument: PATH, the file or directory to transform");
    }
    if (path === undefined || input === undefined) return;
    throw usageError(command, 'Argument "PATH" and option "--input" cannot be used together');
  },
  section: "deploy",
  examples: [
    ["Transform a file line by line", "mlcli local transform rows.csv"],
    [
      "Hide the first column (an id) from the model, and add predictions to each row",
      "mlcli local transform rows.csv --input-filter '$[1:]' --join input",
    ],
    ["Transform a directory of images", "mlcli local transform photos --content-type image/png"],
    ["Show the requests without sending them", "mlcli local transform rows.csv --dry-run"],
  ],
  action: async (context, options) =>
    await (await import("./transform_action.ts")).transformAction(context, options),
});
