/**
 * `download-model`: the model of a training job, in the place of the app's own or in another
 * directory.
 *
 * @module
 */

import { join } from "@std/path/join";
import { findApp } from "../app/app.ts";
import { requireNamed } from "../app/named_path.ts";
import { absolutePath } from "../app/typed_path.ts";
import type { Aws } from "../aws/aws.ts";
import { s3Uri } from "../contract/addresses.ts";
import { fileErrorReason, isSystemError, MlcliError } from "../errors.ts";
import type { IsUsed } from "../model/folder.ts";
import { type CloudChoice, type CloudHost, connectFor, connectToAws } from "./connection.ts";
import { artifactOf, modelSource } from "./download/artifact.ts";
import { type Destination, emptyDirectory, isModel, modelOf } from "./download/destination.ts";
import { fetchObject } from "./download/fetch_object.ts";

/** What to download, and where to. */
export interface ModelDownload {
  readonly choice: CloudChoice;
  /** As typed: a job's name, or `s3://BUCKET/KEY`. */
  readonly source: string;
  /** As typed; undefined: the app's `model/`. */
  readonly to: string | undefined;
  /** Whether a server here uses the model directory that is replaced. */
  readonly isUsed: IsUsed;
}

/** What is told on the way. */
export interface DownloadReport {
  /** Called often. */
  progress(bytes: number, size: number): void;
  unpacking(): void;
}

/** What was downloaded. */
export interface DownloadedModel {
  /** The directory that holds it: absolute. */
  readonly path: string;
  /** The archive's address. */
  readonly address: string;
  /** Of the archive. */
  readonly bytes: number;
}

/**
 * Downloads the archive, unpacks it beside its place, and puts it there when it is whole. What was
 * there before stays until then.
 *
 * @throws UsageError where the source can be none; MlcliError where there is no model, it cannot be
 * unpacked, or the directory cannot take it; AwsError.
 */
export async function downloadModel(
  { choice, source: typed, to, isUsed }: ModelDownload,
  host: CloudHost,
  report: DownloadReport,
): Promise<DownloadedModel> {
  const source = modelSource(typed);
  let aws: Aws;
  let destination: Destination;
  if (to === undefined) {
    const app = await findApp(host.cwd, choice.appName);
    destination = await modelOf(app, isUsed);
    aws = await connectFor(app, choice, host);
  } else {
    await requireNamed(host.cwd, to, "--to ");
    destination = await emptyDirectory(absolutePath(host.cwd, to).replace(/(?!^)[/\\]+$/, ""), to);
    aws = await connectToAws(choice, host);
  }
  const address = source.kind === "address"
    ? source.address
    : await artifactOf(source.name, await aws.sagemaker());
  const s3 = await aws.s3();
  const details = await s3.describeObject(address);
  const { signal } = host.interruption;
  await destination.with(async (folder, put) => {
    const archive = join(folder, "model.tar.gz");
    await inWords(async () => {
      using file = await Deno.open(archive, { write: true, createNew: true });
      await fetchObject(s3, address, details, file, (bytes) => {
        report.progress(bytes, details.size);
      });
    });
    report.unpacking();
    const model = join(folder, "model");
    // Loaded where it is needed: it brings libraries.
    const { unpackModel } = await import("../archive/unpack.ts");
    await unpackModel(archive, model, s3Uri(address), signal);
    await Deno.remove(archive);
    if (!await isModel(model)) {
      throw new MlcliError(`The archive holds no file: ${s3Uri(address)}`, {
        hint: "The training wrote nothing to /opt/ml/model. The model here is as it was.",
      });
    }
    signal.throwIfAborted();
    await put(model);
  });
  return { path: destination.path, address: s3Uri(address), bytes: details.size };
}

/** What the system says when there is no room, for example. */
async function inWords(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new MlcliError(`The archive cannot be written: ${fileErrorReason(error)}`, {
      hint:
        "It is written beside the model, which takes as much room as the archive, and as much " +
        "again as the model.",
      cause: error,
    });
  }
}
