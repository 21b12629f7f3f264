import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { TransformJob } from "../../runtime/local/jobs.ts";
import { counted } from "../../runtime/quantities.ts";
import { jsonText } from "../../runtime/text.ts";
import { appCommand } from "../command.ts";
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
  action: async (context, options) => {
    const { programRequest, requireReachable } = await import("./container_request.ts");
    const { cwd, out, clock } = context;
    const request = await programRequest(context, options, "mlcli local deploy");
    const job: TransformJob = {
      ...request,
      code: request.program.code,
      port: 0,
      allowHost: [],
      // The command line has one of them.
      input: absolutePath(cwd, (options.path ?? options.input)!),
      output: options.outputDir === undefined ? undefined : absolutePath(cwd, options.outputDir),
    };
    requireReachable(job);
    if (options.dryRun) {
      const { plannedTransform } = await import("../../runtime/local/transform/dry_run.ts");
      const { planned, requireNone } = await plannedTransform(job, context);
      out.print(jsonText(planned));
      return requireNone();
    }
    const { transform } = await import("../../runtime/local/transform/transform.ts");
    const { Pace, TransferProgress } = await import("../render/progress/transfer.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const { runHost } = await import("./image_access.ts");
    // Without `waiting`, whose line would be drawn over "Starting the server".
    const { pipNetwork } = runHost(context, options.app);
    new WaitingProgress(context).show("Starting the server");
    const transfer = new TransferProgress(context);
    let pace: InstanceType<typeof Pace> | undefined;
    const place = await transform(job, { ...context, pipNetwork }, (results, total) => {
      const { bytes, files, records, failedFiles } = results;
      pace ??= new Pace(() => clock.now());
      pace.reached(records);
      const { rate } = pace;
      const speed = rate === undefined ? "" : `, ${Math.round(rate)} records/s`;
      transfer.reached({
        bytes,
        total,
        more: [
          counted(records, "record") + speed,
          counted(files, "file"),
          ...failedFiles === 0 ? [] : [`${counted(failedFiles, "file")} failed`],
        ],
      });
    });
    out.print(`${place}\n`);
  },
});
