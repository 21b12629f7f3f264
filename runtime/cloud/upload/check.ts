import { basename } from "@std/path/basename";
import { type App, type AppChoice, findApp, findApps } from "../../app/app.ts";
import { brokenLinks } from "../../app/links.ts";
import { requireNoPointer } from "../../app/pointers.ts";
import { junkNotes } from "../../app/junk.ts";
import { shellWord } from "../../app/typed_path.ts";
import type { Aws } from "../../aws/aws.ts";
import type { S3 } from "../../aws/s3.ts";
import {
  asDirectory,
  KEY_BYTES,
  parseS3Uri,
  type S3Address,
  s3Uri,
  within,
} from "../../contract/addresses.ts";
import { bytesOf } from "../../contract/limits.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import { sizeOf } from "../../files.ts";
import type { Messages } from "../../messages.ts";
import { counted } from "../../quantities.ts";
import { inOneLine, listed } from "../../text.ts";
import { ownBucket } from "../bucket_owner.ts";
import { type CloudChoice, connectFor, connectToAws, type WaitingHost } from "../connection.ts";
import { filesOf, type LeftOut, type NamedInput, namedInputs, type Reason } from "./files.ts";
import { objectsBelow, type Step, stepsOf } from "./plan.ts";

/** Settings of `mlcli upload-data`, under the names of their options. */
export interface DataUpload extends CloudChoice {
  /** Files and directories, as typed. */
  readonly inputDir: readonly string[];
  /** `s3://BUCKET/PREFIX`, as typed. Default: `data/` below the app's `s3_prefix`. */
  readonly targetDir: string | undefined;
  /** Whether to delete the objects below the target that have no local file. */
  readonly delete: boolean;
}

export interface Size {
  readonly files: number;
  readonly bytes: number;
}

/** Paths that are kept with all below them (without a slash at the end), and why. */
export type Kept = ReadonlyMap<string, "results" | "left out">;

/** An upload after all checks that do not ask SageMaker. */
export interface CheckedUpload {
  readonly s3: S3;
  readonly inputs: readonly NamedInput[];
  /** The prefix of all keys: empty, or with a slash at its end. */
  readonly target: S3Address;
  /** Objects that are not deleted; complete after all steps. */
  readonly kept: Kept;
  readonly size: Size;
  /** The steps of the upload, which can be read once. */
  steps(): AsyncGenerator<Step, void, void>;
}

export async function checkUpload(
  upload: DataUpload,
  host: WaitingHost,
): Promise<CheckedUpload> {
  const { targetDir, delete: deletes } = upload;
  const app = targetDir === undefined ? await findApp(host.cwd, upload.appName) : undefined;
  const target = targetOf(targetDir, app);
  if (deletes && targetDir === undefined) {
    throw new UsageError('Option "--delete" requires "--target-dir"', {
      hint: `To confirm where objects are deleted, set --target-dir ${shellWord(s3Uri(target))}`,
    });
  }
  if (deletes && target.key === "") {
    throw new UsageError(`Option "--delete" does not support a whole bucket: ${s3Uri(target)}`, {
      hint: `Choose a directory in the bucket, such as ${s3Uri({ ...target, key: "data/" })}`,
    });
  }
  const inputs = await namedInputs(host.cwd, upload.inputDir);
  const kept = new Map(deletes ? await outputsOf(host.cwd, upload, target) : []);
  const leave: LeftOut = (_why, { name }) => void kept.set(target.key + name, "left out");
  const size = await checkFiles(inputs, target, leave, host);
  const aws: Aws = app ? await connectFor(app, upload, host) : await connectToAws(upload, host);
  const s3 = app === undefined ? await aws.s3() : await ownS3(aws, app, target, host.messages);
  return {
    s3,
    inputs,
    target,
    kept,
    size,
    steps: () =>
      stepsOf(
        filesOf(inputs, leave),
        objectsBelow(s3, target, deletes, (text) => host.messages.note(text)),
        target.key,
      ),
  };
}

/**
 * Returns the destination. By default, data has its own directory below `s3_prefix`, because results are also
 * there, and the next training job must not read them.
 *
 * @throws UsageError
 */
function targetOf(typed: string | undefined, app: App | undefined): S3Address {
  const text = typed ?? app?.configuration.s3Prefix;
  const file = app && basename(app.configurationPath);
  if (text === undefined) {
    throw new UsageError('Missing required option "--target-dir"', {
      hint: `Set it, or set "s3_prefix": "s3://BUCKET/PREFIX" in ${file} for all data of the app`,
    });
  }
  const address = parseS3Uri(text);
  if (address) return asDirectory(typed === undefined ? within(address, "data") : address);
  const source = typed === undefined ? `"s3_prefix" in ${file}` : 'Option "--target-dir"';
  throw new UsageError(`${source} must be an S3 URI, but is "${inOneLine(text)}"`, {
    hint: "Use an S3 URI such as s3://my-bucket/churn/data",
  });
}

/** S3, for buckets of the caller's own account only. */
async function ownS3(aws: Aws, app: App, address: S3Address, messages: Messages): Promise<S3> {
  const where = `"s3_prefix" in ${basename(app.configurationPath)}`;
  const place = { value: address, from: "file", where, flag: "--target-dir" } as const;
  const { s3, isCertain } = await ownBucket(aws, place);
  if (!isCertain) {
    messages.note(
      `Cannot check that your account owns the bucket ${address.bucket}. ` +
        "If another account owns it, the upload fails.",
    );
  }
  return s3;
}

/** Checks all files before the first is sent; returns their number and size. */
async function checkFiles(
  inputs: readonly NamedInput[],
  target: S3Address,
  leave: LeftOut,
  { clock, interruption: { signal }, messages, waiting }: WaitingHost,
): Promise<Size> {
  const names: Record<Reason, string[]> = { private: [], broken: [], unusable: [], junk: [] };
  const leftOut: LeftOut = (why, what) => {
    names[why].push([what.shown, what.words].join(" ").trim());
    leave(why, what);
  };
  const start = clock.now();
  let [files, bytes] = [0, 0];
  for await (const { name, path, shown } of filesOf(inputs, leftOut)) {
    signal.throwIfAborted();
    files++;
    const size = sizeOf(path);
    bytes += size;
    requireNoPointer(path, shown, size);
    waiting.show(`Scanning: ${counted(files, "file")}`, clock.now() - start);
    const key = target.key + name;
    // A letter has three bytes at most for each unit of JavaScript's.
    if (key.length * 3 > KEY_BYTES && bytesOf(key) > KEY_BYTES) {
      throw new MlcliError(`The S3 key of ${inOneLine(shown)} is longer than ${KEY_BYTES} bytes`, {
        hint: "Nothing was uploaded. Shorten the file's path or --target-dir.",
      });
    }
  }
  // Directories are read in no order.
  names.private.sort();
  names.unusable.sort();
  if (names.private.length > 0) {
    messages.warning(
      `Skipped files that might contain secrets: ${listed(names.private)}`,
      "To upload such a file, set it as an input: --input-dir FILE",
    );
  }
  if (names.broken.length > 0) {
    const { message, hint } = brokenLinks(names.broken);
    messages.warning(`Skipped a link: ${message}`, hint);
  }
  if (names.unusable.length > 0) {
    messages.warning(
      `Skipped entries that are neither files nor directories: ${listed(names.unusable)}`,
      "Remove these entries, or replace them with files",
    );
  }
  junkNotes(names.junk).forEach((text) => messages.note(text));
  if (files > 0) return { files, bytes };
  throw new MlcliError(`No files to upload in ${listed(inputs.map(({ shown }) => shown))}`, {
    hint: "Check --input-dir. Nothing was uploaded or deleted.",
  });
}

/** Configuration keys of the locations to which jobs write. */
const RESULT_KEYS = ["output_s3_dir", "output_s3_location", "checkpoint_s3_dir", "data_capture"];

/**
 * Returns the locations below the target where the directory's apps keep results and models: `--delete`
 * deletes only data.
 */
async function outputsOf(cwd: string, choice: AppChoice, target: S3Address): Promise<Kept> {
  const apps = await findApps(cwd, choice);
  const results = apps.flatMap(({ configuration: { s3Prefix, sections } }) => {
    const prefix = s3Prefix === undefined ? undefined : parseS3Uri(s3Prefix);
    const named = Object.values(sections).flatMap((section) =>
      RESULT_KEYS.map((key) => parseS3Uri(String(section[key])))
    );
    const own = prefix === undefined
      ? []
      : ["output", "models", "code"].map((path) => within(prefix, path));
    return [...own, ...named].filter((place) => place !== undefined);
  });
  const keys = results.filter(({ bucket }) => bucket === target.bucket)
    .map((place) => asDirectory(place).key);
  const below = keys.filter((key) => key.startsWith(target.key) && key !== target.key);
  return new Map(below.map((key) => [key.slice(0, -1), "results"]));
}
