import { planUpload, uploadData, type UploadReport } from "../../runtime/cloud/upload_data.ts";
import type { Context } from "../../runtime/context.ts";
import { printableJson } from "../../runtime/text.ts";
import { fit } from "../../runtime/cells.ts";
import { ProgressOutput } from "../render/progress/output.ts";
import { TransferProgress } from "../render/progress/transfer.ts";
import { byteCount, counted } from "../../runtime/quantities.ts";
import type { UploadDataOptions } from "./upload_data.ts";

/** Sends files and directories to S3, or prints what it would send. */
export async function uploadDataAction(
  context: Context,
  options: UploadDataOptions,
): Promise<void> {
  const { out, err, clock } = context;
  using shown = new ProgressOutput(err, options);
  const report = uploadReport(shown, () => clock.now());
  if (options.dryRun) return await printPlan(options, context, report, shown);
  const { address, done, deleted } = await uploadData(options, context, report);
  shown.end();
  const parts = [
    `Uploaded ${counted(done.files, "file")} (${byteCount(done.bytes)})`,
    done.unchanged > 0 ? `${done.unchanged} unchanged` : undefined,
    deleted > 0 ? `deleted ${counted(deleted, "object")}` : undefined,
  ];
  shown.say(parts.filter((part) => part !== undefined).join(", "));
  const { files, bytes, unchanged } = done;
  const result = { target: address, files, bytes, unchanged, deleted };
  out.print(options.output === "json" ? `${printableJson(result, 2)}\n` : `${address}\n`);
}

function uploadReport(shown: ProgressOutput, now: () => number): UploadReport {
  let transfer: TransferProgress | undefined;
  let found = 0;
  shown.live(() =>
    found === 0 ? [] : [{ text: fit(`Scanning: ${counted(found, "file")}`, shown.columns) }]
  );
  return {
    note: (text) => shown.note(text),
    warning: (text, hint) => shown.warning(text, hint),
    found: ({ files }) => void (found = files),
    progress({ files, bytes, unchanged, unchangedBytes, inParts }, all) {
      transfer ??= new TransferProgress(shown, now);
      const more = unchanged > 0 ? [`${unchanged} unchanged`] : [];
      transfer.reached({
        bytes: bytes + inParts,
        skipped: unchangedBytes,
        total: all.bytes,
        more: [`${files + unchanged} of ${counted(all.files, "file")}`, ...more],
      });
    },
  };
}

/** One JSON object, with each file on a line: there may be many. */
async function printPlan(
  upload: UploadDataOptions,
  context: Context,
  report: UploadReport,
  shown: ProgressOutput,
): Promise<void> {
  const write = (text: string) => context.out.write(new TextEncoder().encode(text));
  const { target, files, total } = await planUpload(upload, context, report);
  shown.end();
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
