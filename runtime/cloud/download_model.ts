import { join } from "@std/path/join";
import { findApp } from "../app/app.ts";
import type { Aws } from "../aws/aws.ts";
import type { Context } from "../context.ts";
import { parseS3Uri, type S3Address, s3Uri } from "../contract/addresses.ts";
import { isResourceName } from "../contract/limits.ts";
import { platformJobName } from "../contract/names.ts";
import { MlcliError, UsageError } from "../errors.ts";
import { inOneLine } from "../text.ts";
import { type CloudChoice, connectFor, connectToAws, type WaitingHost } from "./connection.ts";
import { type Destination, emptyDirectory, isModel, modelOf } from "./download/destination.ts";
import { fetchObject, writeFetched } from "./download/fetch_object.ts";
import { modelOfTraining } from "./jobs/artifact.ts";

/** Settings of `mlcli download-model`, under the names of their options. */
export interface ModelDownload extends CloudChoice {
  /** Name of a training job, or `s3://BUCKET/KEY`. */
  readonly jobOrUri: string;
  /** Directory as typed. Default: the app's `model/`. */
  readonly to: string | undefined;
}

export interface DownloadedModel {
  /** The directory that holds it: absolute. */
  readonly path: string;
  readonly address: string;
  readonly bytes: number;
}

/**
 * Downloads the archive, unpacks it beside its destination, and moves it there when it is complete. The
 * previous content stays until then.
 *
 * @throws UsageError for an impossible source; MlcliError if there is no model, if the model cannot be
 * unpacked, or if the directory cannot hold it; AwsError.
 */
export async function downloadModel(
  request: ModelDownload,
  host: WaitingHost & Pick<Context, "err">,
  progress: (bytes: number, total: number) => void,
): Promise<DownloadedModel> {
  const { jobOrUri, to } = request;
  const named = addressIn(jobOrUri);
  let aws: Aws;
  let destination: Destination;
  if (to === undefined) {
    const app = await findApp(host.cwd, request.appName);
    const name = named === undefined
      ? jobOrUri
      : platformJobName(app.name, host.clock.date().toISOString());
    destination = await modelOf(app, { name, address: jobOrUri }, host);
    aws = await connectFor(app, request, host);
  } else {
    destination = await emptyDirectory(host.cwd, to);
    aws = await connectToAws(request, host);
  }
  const address = named ?? await modelOfTraining(jobOrUri, await aws.sagemaker());
  const s3 = await aws.s3();
  const details = await s3.describeObject(address);
  const { signal } = host.interruption;
  await destination.with(async (folder, put) => {
    const archive = join(folder, "model.tar.gz");
    await writeFetched(
      archive,
      notWritten,
      (file) => fetchObject(s3, address, details, file, (bytes) => progress(bytes, details.size)),
    );
    const model = join(folder, "model");
    // Loaded late, because it imports libraries.
    const { unpackModel } = await import("../archive/unpack.ts");
    const unpacked = unpackModel(archive, model, s3Uri(address), signal);
    await host.waiting.during(() => "Unpacking", unpacked);
    await Deno.remove(archive);
    if (!await isModel(model)) {
      throw new MlcliError(`The archive contains no files: ${s3Uri(address)}`, {
        hint: "Change the training code so that it saves the model in /opt/ml/model",
      });
    }
    signal.throwIfAborted();
    await put(model);
  });
  return { path: destination.path, address: s3Uri(address), bytes: details.size };
}

function notWritten(reason: string, cause: unknown): MlcliError {
  return new MlcliError(`Cannot save the downloaded archive: ${reason}`, {
    hint: "Check that the disk has space for the archive, the new model and the old model",
    cause,
  });
}

/**
 * The address that was typed; `undefined` where it is a job's name.
 * @throws UsageError where it can be neither.
 */
function addressIn(typed: string): S3Address | undefined {
  if (isResourceName(typed)) return undefined;
  const address = parseS3Uri(typed);
  const shape = "Use a job name such as churn-2026-03-01-09-30-00-123, or an S3 URI such as " +
    "s3://my-bucket/JOB/output/model.tar.gz";
  if (!address) {
    throw new UsageError(`Expected a job name or an S3 URI but got "${inOneLine(typed)}"`, {
      hint: shape,
    });
  }
  if (address.key === "" || address.key.endsWith("/")) {
    throw new UsageError(`Expected a model archive but got a directory: "${inOneLine(typed)}"`, {
      hint: shape,
    });
  }
  return address;
}
