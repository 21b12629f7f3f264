import { typedPath } from "../../runtime/app/typed_path.ts";
import { downloadOutput } from "../../runtime/cloud/download_output.ts";
import type { Context } from "../../runtime/context.ts";
import { warnOfKeys } from "../chosen_app.ts";
import { byteCount, counted } from "../../runtime/quantities.ts";
import { ProgressOutput } from "../render/progress/output.ts";
import { TransferProgress } from "../render/progress/transfer.ts";
import type { DownloadOutputOptions } from "./download_output.ts";

/** Downloads what a job left, and prints the directory that holds it. */
export async function downloadOutputAction(
  context: Context,
  options: DownloadOutputOptions,
): Promise<void> {
  await warnOfKeys(context, options);
  const { out, err, cwd, clock } = context;
  using shown = new ProgressOutput(err, options);
  const transfer = new TransferProgress(shown, () => clock.now());
  const { job: name, kind, to } = options;
  const { path, files, bytes } = await downloadOutput(
    { choice: options, name, kind, to },
    context,
    {
      note: (text) => shown.say(text),
      progress: (bytes, total) => transfer.reached({ bytes, total }),
    },
  );
  shown.end();
  shown.say(`Downloaded ${counted(files, "file")} (${byteCount(bytes)})`);
  out.print(`${typedPath({ directory: cwd }, path)}\n`);
}
