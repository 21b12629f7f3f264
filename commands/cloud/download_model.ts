import { typedPath } from "../../runtime/app/typed_path.ts";
import { byteCount } from "../../runtime/quantities.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { cloudOptions, progressOptions } from "../options/shared.ts";

const OPTIONS = options({
  "<job-or-uri>": {},
  "--to DIR": {
    description: "Directory for the model, which must be empty or new (default: the app's model/)",
    path: "typed",
  },
  ...cloudOptions,
  ...progressOptions,
});

export default command({
  usesApps: true,
  details: "JOB-OR-URI is the name of a training job or the S3 URI of its model.tar.gz. After " +
    "the download, mlcli replaces the app's model and prints the directory of the " +
    "model. A running server keeps the model that it has loaded.",
  options: OPTIONS,
  examples: [
    [
      "Serve a model from SageMaker locally",
      "mlcli download-model flats-2026-03-01-09-30-00-123 && mlcli local deploy",
    ],
    [
      "Download a model into another directory",
      "mlcli download-model s3://my-bucket/output/JOB/output/model.tar.gz --to old",
    ],
  ],
  action: async (context, options) => {
    const { downloadModel } = await import("../../runtime/cloud/download_model.ts");
    const { TransferProgress } = await import("../render/progress/transfer.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const transfer = new TransferProgress(context);
    const host = { ...context, waiting: new WaitingProgress(context) };
    const { path, address, bytes } = await downloadModel(options, host, (bytes, total) => {
      transfer.reached({ bytes, total });
    });
    context.messages.state(`Downloaded ${byteCount(bytes)} from ${address}`);
    context.out.print(`${typedPath({ directory: context.cwd }, path)}\n`);
  },
});
