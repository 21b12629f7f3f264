import { typedPath } from "../../runtime/app/typed_path.ts";
import { downloadModel } from "../../runtime/cloud/download_model.ts";
import type { Context } from "../../runtime/context.ts";
import { ProgressOutput } from "../render/progress/output.ts";
import { TransferProgress } from "../render/progress/transfer.ts";
import { byteCount } from "../../runtime/quantities.ts";
import type { DownloadModelOptions } from "./download_model.ts";

/** Downloads a model and prints the directory that holds it. */
export async function downloadModelAction(
  context: Context,
  options: DownloadModelOptions,
): Promise<void> {
  const { out, err, cwd } = context;
  using shown = new ProgressOutput(err, options);
  const transfer = new TransferProgress(context);
  const { path, address, bytes } = await downloadModel(options, context, {
    progress: (bytes, total) => transfer.reached({ bytes, total }),
    unpacking: () => shown.live(() => [{ text: "Unpacking" }]),
  });
  shown.end();
  shown.say(`Downloaded ${byteCount(bytes)} from ${address}`);
  out.print(`${typedPath({ directory: cwd }, path)}\n`);
}
