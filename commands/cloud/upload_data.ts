import type { PlannedUpload } from "../../runtime/cloud/upload_data.ts";
import { byteCount, counted } from "../../runtime/quantities.ts";
import type { Output } from "../../runtime/streams.ts";
import { jsonText, printableJson } from "../../runtime/text.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { cloudOptions, outputFormat, progressOptions } from "../options/shared.ts";

const OPTIONS = options({
  "-i, --input-dir PATH...": {
    description: "File or directory to upload (repeatable)",
    required: true,
    path: "typed",
  },
  "--target-dir S3_URI": {
    description: "S3 URI to upload to (default: data/ below s3_prefix in NAME.json)",
  },
  "--delete": { description: "After the upload, delete all other objects below --target-dir" },
  ...cloudOptions,
  "--dry-run": {
    description:
      "Check the settings and list the files to upload and delete, without making changes",
  },
  ...outputFormat,
  ...progressOptions,
});

export default command({
  usesApps: true,
  details: "Files of a directory keep their relative paths. mlcli skips a file if S3 already " +
    "has an object of the same size that is as new as the file. To resume an interrupted " +
    "upload, rerun the command.",
  options: OPTIONS,
  examples: [
    ["Upload a directory", "mlcli upload-data -i my_data --target-dir s3://my-bucket/flats/data"],
    [
      "Make S3 match the directory",
      "mlcli upload-data -i my_data --target-dir s3://my-bucket/flats/data --delete",
    ],
  ],
  action: async (caller, options) => {
    const { planUpload, uploadData } = await import("../../runtime/cloud/upload_data.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const { TransferProgress } = await import("../render/progress/transfer.ts");
    const { messages, out } = caller;
    const waiting = new WaitingProgress(caller);
    const context = { ...caller, waiting };
    const transfer = new TransferProgress(caller);
    if (options.dryRun) return await printPlan(await planUpload(options, context), out);
    const { address, done, deleted } = await uploadData(options, context, (now, all) => {
      transfer.reached({
        bytes: now.bytes + now.inParts,
        skipped: now.unchangedBytes,
        total: all.bytes,
        more: [
          `${now.files + now.unchanged} of ${counted(all.files, "file")}`,
          ...now.unchanged > 0 ? [`${now.unchanged} unchanged`] : [],
        ],
      });
    });
    const { files, bytes, unchanged } = done;
    const parts = [
      `Uploaded ${counted(files, "file")} (${byteCount(bytes)})`,
      unchanged > 0 ? `${unchanged} unchanged` : "",
      deleted > 0 ? `deleted ${counted(deleted, "object")}` : "",
    ];
    messages.state(parts.filter((part) => part !== "").join(", "));
    const result = { target: address, files, bytes, unchanged, deleted };
    out.print(options.output === "json" ? jsonText(result) : `${address}\n`);
  },
});

/** Prints one JSON object with each file on a line, as mlcli finds them: there might be many. */
async function printPlan({ target, files, total }: PlannedUpload, out: Output): Promise<void> {
  const write = (text: string) => out.write(new TextEncoder().encode(text));
  let before = `{\n  "target": ${printableJson(target)},\n  "send": [\n    `;
  for await (const file of files) {
    await write(before + printableJson(file));
    before = ",\n    ";
  }
  const isNone = before.startsWith("{");
  const { files: count, bytes, unchanged, calls, deleted } = total();
  const rest = jsonText({ delete: deleted, files: count, bytes, unchanged, calls });
  await write(`${isNone ? before.trimEnd() : "\n  "}],\n${rest.slice(2)}`);
}
