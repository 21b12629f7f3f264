/**
 * What `mlcli upload-data` does.
 *
 * @module
 */

import {
  type DataUpload,
  planUpload,
  uploadData,
  type UploadReport,
} from "../../runtime/cloud/upload_data.ts";
import type { Context } from "../../runtime/context.ts";
import { printable, printableJson } from "../../runtime/text.ts";
import { warnOfKeys } from "../chosen_app.ts";
import { often, ProgressLine } from "../render/progress.ts";
import { byteCount, counted } from "../render/quantity.ts";
import type { UploadDataOptions } from "./upload_data.ts";

/** Sends files and directories to S3, or prints what it would send. */
export async function uploadDataAction(
  context: Context,
  options: UploadDataOptions,
): Promise<void> {
  await warnOfKeys(context, options);
  const { out, err } = context;
  using line = new ProgressLine(err);
  const upload: DataUpload = {
    choice: options,
    inputs: options.inputDir,
    target: options.targetDir,
    deletes: options.delete,
  };
  const above = line.above();
  const report: UploadReport = {
    note: (text) => above.print(printable(`note: ${text}\n`)),
    warning: (text, hint) => above.print(printable(`warning: ${text}\nhint: ${hint}\n`)),
    progress: often(({ files, bytes, unchanged }) =>
      line.show(`${counted(files, "file")} sent (${byteCount(bytes)}), ${unchanged} unchanged`)
    ),
  };
  if (options.dryRun) return await printPlan(upload, context, report);
  const { address, done, deleted } = await uploadData(upload, context, report);
  line.clear();
  const parts = [
    `${counted(done.files, "file")} sent (${byteCount(done.bytes)})`,
    done.unchanged > 0 ? `${done.unchanged} unchanged` : undefined,
    deleted > 0 ? `${counted(deleted, "object")} deleted` : undefined,
  ];
  err.print(`${parts.filter((part) => part !== undefined).join(", ")}\n`);
  out.print(`${address}\n`);
}

/** As one JSON object, a file a line: there may be many. */
async function printPlan(
  upload: DataUpload,
  context: Context,
  report: UploadReport,
): Promise<void> {
  const write = (text: string) => context.out.write(new TextEncoder().encode(text));
  const { target, files, total } = await planUpload(upload, context, report);
  let before = `{\n  "target": ${printableJson(target)},\n  "send": [\n    `;
  for await (const file of files) {
    await write(before + printableJson(file));
    before = ",\n    ";
  }
  const isNone = before.startsWith("{");
  const { files: count, bytes, unchanged, calls, deleted } = total();
  const rest = printableJson({ delete: deleted, files: count, bytes, unchanged, calls }, 2);
  await write(`${isNone ? before.trimEnd() : "\n  "}],\n${rest.slice(2)}\n`);
}
