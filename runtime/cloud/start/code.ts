/** The user's code in S3: each version is stored once, at an address that a job reads as an input. */

import { startScript } from "../../app/harness_files.ts";
import { initCommand, typedPath } from "../../app/typed_path.ts";
import type { Aws } from "../../aws/aws.ts";
import { ifAllowed } from "../../aws/errors.ts";
import type { S3 } from "../../aws/s3.ts";
import { type S3Address, s3Uri, within } from "../../contract/addresses.ts";
import { CODE_ARCHIVE, START_SCRIPT } from "../../contract/launch.ts";
import { MlcliError } from "../../errors.ts";
import { isDirectory } from "../../files.ts";
import type { Messages } from "../../messages.ts";
import type { Setting } from "../../setting.ts";
import {
  installsPackages,
  packCode,
  type PackedCode,
  type SourceFolder,
} from "../../source/source.ts";
import { ownBucket, type Place } from "../bucket_owner.ts";
import { belowPrefix } from "./checks.ts";
import type { TrainingRequest } from "./plan.ts";

/** Packed code, and its destination. */
export interface CodeToSend extends PackedCode {
  /** The directory in S3, which is the input: with `/` at its end. */
  readonly place: Place;
}

/**
 * Packs the code that a job sends; returns `undefined` if the job sends none.
 *
 * @param output destination of the results, and of the code if the app's file sets no prefix for all data.
 * @throws MlcliError if the code does not exist, or cannot be packed.
 */
export async function codeToSend(
  { app, program: { code }, sendCode = false }:
    & Pick<TrainingRequest, "app" | "program">
    & Partial<Pick<TrainingRequest, "sendCode">>,
  output: Place,
  messages: Messages,
): Promise<CodeToSend | undefined> {
  const folders = sendCode ? await ownFolders(app) : code && [code] as const;
  if (folders === undefined) return undefined;
  const packed = await packCode(folders, code?.entryPoint, messages);
  return { ...packed, place: placeOf(app, output, packed.hash) };
}

/** Prints a note if the code needs packages that a job without network cannot install. */
export function noteNoNetwork(
  code: PackedCode | undefined,
  { networkIsolation }: Pick<TrainingRequest, "networkIsolation">,
  messages: Messages,
): void {
  if (code === undefined || !networkIsolation.value || !installsPackages(code)) return;
  messages.note(
    "The job cannot install the code's requirements.txt, because --network-isolation blocks the " +
      "network",
    "Use an image that contains the packages",
  );
}

/** The app's own code, as an image of mlcli's takes it. */
async function ownFolders(
  app: TrainingRequest["app"],
): Promise<readonly [SourceFolder, ...SourceFolder[]]> {
  const { training, common } = app.paths;
  if (!await isDirectory(training)) {
    throw new MlcliError("No training code to send: training/ does not exist", {
      hint: `Add the missing files of the sample: ${initCommand(app, app.name)}`,
    });
  }
  const folder = (path: string, name: string) => ({
    source: { path, shown: typedPath(app, path), boundary: Deno.realPathSync(path) },
    before: `${name}/`,
  });
  return [
    folder(training, "code"),
    ...await isDirectory(common) ? [folder(common, "common")] : [],
  ];
}

function placeOf(app: TrainingRequest["app"], output: Place, hash: string): Place {
  const path = `code/${hash}/`;
  const below = belowPrefix(app, path);
  return below === undefined
    ? { ...output, value: within(output.value, path) }
    : { ...below, flag: undefined };
}

/** An object that the job needs. */
export interface ObjectToSend {
  readonly address: S3Address;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What the job needs and S3 does not have. */
export interface Missing {
  readonly s3: S3;
  readonly launcher: string;
  readonly objects: readonly ObjectToSend[];
}

/**
 * Finds that, byte for byte, by S3's own checksum.
 *
 * @param launcher with `script`, the start script is needed, too.
 */
export async function missingObjects(
  aws: Pick<Aws, "s3" | "sts">,
  { archive, place }: CodeToSend,
  launcher: string,
  kmsKey: Setting<string> | undefined,
): Promise<Missing> {
  const { s3 } = await ownBucket(aws, place);
  const all: ObjectToSend[] = [{ address: within(place.value, CODE_ARCHIVE), bytes: archive }];
  if (launcher === "script") {
    const bytes = new TextEncoder().encode(await startScript());
    all.push({ address: within(place.value, START_SCRIPT), bytes });
  }
  // With a KMS key, all code is sent: existing code might be stored without the key.
  if (kmsKey !== undefined) return { s3, launcher, objects: all };
  const areThere = await Promise.all(all.map(async ({ address, bytes }) => {
    const found = await ifAllowed(s3.describeObject(address, { checksum: true }), () => {});
    return found?.sha256 === await sha256Of(bytes);
  }));
  return { s3, launcher, objects: all.filter((_, index) => !areThere[index]) };
}

export async function sendObjects(
  { s3, objects }: Missing,
  kmsKey: Setting<string> | undefined,
  messages: Messages,
): Promise<void> {
  for (const { address, bytes } of objects) {
    await s3.putObject(address, bytes, { sha256: await sha256Of(bytes), kmsKey: kmsKey?.value });
    messages.state(`Uploaded ${s3Uri(address)}`);
  }
}

/**
 * Returns the description of the code for `--dry-run`.
 *
 * @param as the role of the code in the job.
 */
export function shownCode(
  { program }: Pick<TrainingRequest, "program">,
  { hash, files, leftOut, commit, archive, place }: CodeToSend,
  { launcher, objects }: Missing,
  as: "channel" | "input",
): readonly unknown[] {
  const about = {
    source_dir: program.code?.source.shown ?? "training/, common/",
    entry_point: program.code?.entryPoint ?? null,
    launcher,
    hash,
    commit: commit ?? null,
    files: files.length,
    bytes: archive.length,
    left_out: leftOut,
    [as]: s3Uri(place.value),
  };
  const puts = objects.map(({ address: { bucket, key } }) => ({
    action: "s3:PutObject",
    input: { Bucket: bucket, Key: key },
  }));
  return [{ code: about }, ...puts];
}

/** As S3 says it: in base64. */
async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toBase64();
}
