import { typedPath } from "../../runtime/app/typed_path.ts";
import { byteCount, counted } from "../../runtime/quantities.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";
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
  action: async (context, options) => {
    const { downloadOutput } = await import("../../runtime/cloud/download_output.ts");
    const { TransferProgress } = await import("../render/progress/transfer.ts");
    const transfer = new TransferProgress(context);
    const { path, files, bytes } = await downloadOutput(options, context, (bytes, total) => {
      transfer.reached({ bytes, total });
    });
    context.messages.state(`Downloaded ${counted(files, "file")} (${byteCount(bytes)})`);
    context.out.print(`${typedPath({ directory: context.cwd }, path)}\n`);
  },
});
