import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { cloudOptions, jobKind, progressOptions } from "../options/shared.ts";

const OPTIONS = options({
  "<job>": {},
  "--to DIR": {
    description: "Directory for the output, which must be empty or new (default: JOB)",
    path: "typed",
  },
  "--kind": {
    ...jobKind["--kind"],
    description: "Kind of job, if several jobs are named JOB: train, process or transform",
  },
  ...cloudOptions,
  ...progressOptions,
});

export type DownloadOutputOptions = Values<typeof OPTIONS>;

export default command({
  usesApps: true,
  details: "mlcli downloads the .out files of a transform job, the output directories of a " +
    "processing job, or output.tar.gz of a training job. mlcli then prints the " +
    "directory of the output. To download the model of a training job, use mlcli " +
    "download-model.",
  options: OPTIONS,
  examples: [
    [
      "Wait for a transform job and download its results",
      "mlcli wait flats-2026-03-01 && mlcli download-output flats-2026-03-01",
    ],
  ],
  action: async (context, options) =>
    await (await import("./download_output_action.ts")).downloadOutputAction(context, options),
});
