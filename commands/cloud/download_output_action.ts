import { typedPath } from "../../runtime/app/typed_path.ts";
import { downloadOutput } from "../../runtime/cloud/download_output.ts";
import type { Context } from "../../runtime/context.ts";
import { byteCount, counted } from "../../runtime/quantities.ts";
import { ProgressOutput } from "../render/progress/output.ts";
import { TransferProgress } from "../render/progress/transfer.ts";
import type { DownloadOutputOptions } from "./download_output.ts";

/** Downloads what a job left, and prints the directory that holds it. */
export async function downloadOutputAction(
  context: Context,
  options: DownloadOutputOptions,
): Promise<void> {
  const { out, err, cwd } = context;
  using shown = new ProgressOutput(err, options);
  const transfer = new TransferProgress(context);
  const { path, files, bytes } = await downloadOutput(options, context, {
    note: (text) => shown.say(text),
    progress: (bytes, total) => transfer.reached({ bytes, total }),
  });
  shown.end();
  shown.say(`Downloaded ${counted(files, "file")} (${byteCount(bytes)})`);
  out.print(`${typedPath({ directory: cwd }, path)}\n`);
}
