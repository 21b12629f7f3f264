import { join } from "@std/path/join";
import type { S3, StoredObject } from "../aws/s3.ts";
import { asDirectory, parseS3Uri, type S3Address, s3Uri, within } from "../contract/addresses.ts";
import { JOB_KINDS, type JobKind } from "../contract/jobs.ts";
import { checkJobName } from "../contract/names.ts";
import { MlcliError } from "../errors.ts";
import type { Messages } from "../messages.ts";
import { inOneLine, listed } from "../text.ts";
import { findByName } from "./by_name/by_name.ts";
import { type CloudChoice, type CloudHost, connectToAws } from "./connection.ts";
import { emptyDirectory } from "./download/destination.ts";
import { fetchObject, writeFetched } from "./download/fetch_object.ts";
import { pathBelow } from "./download/object_path.ts";
import { inParallel } from "./in_parallel.ts";
import { type CloudJob, hasEnded, KIND_NAMES } from "./jobs/job.ts";

/** Settings of `mlcli download-output`, under the names of their options. */
export interface OutputDownload extends CloudChoice {
  /** Name of the job. */
  readonly job: string;
  /** Default: all kinds. */
  readonly kind: JobKind | undefined;
  /** Directory as typed. Default: the job's name. */
  readonly to: string | undefined;
}

/** How many objects are fetched at once, and of each so many ranges. */
const OBJECTS = 8;
const RANGES = 2;

/**
 * Downloads the results of a job, without its model, into an empty or new directory: all of them, or none.
 *
 * @throws MlcliError if there are no results, if the directory cannot hold them, or if an object cannot
 * become a file.
 */
export async function downloadOutput(
  request: OutputDownload,
  host: CloudHost,
  progress: (bytes: number, total: number) => void,
): Promise<{ readonly path: string; readonly files: number; readonly bytes: number }> {
  const { job: name, kind, to = name } = request;
  checkJobName(name);
  const destination = await emptyDirectory(host.cwd, to);
  const aws = await connectToAws(request, host);
  const job = await findByName(await aws.sagemaker(), name, kind ? [kind] : JOB_KINDS);
  if (!hasEnded(job)) {
    throw new MlcliError(`Job ${name} has no output yet (${inOneLine(job.status)})`, {
      hint: `Wait for the job: mlcli wait ${name}`,
    });
  }
  const s3 = await aws.s3();
  const files = await filesOf(job, s3, host.messages);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const { signal } = host.interruption;
  await destination.with(async (folder, put) => {
    const root = join(folder, "output");
    await Deno.mkdir(root);
    let all = 0;
    await inParallel(files, OBJECTS, async (file) => {
      signal.throwIfAborted();
      let own = 0;
      const notWritten = (reason: string, cause: unknown): MlcliError =>
        new MlcliError(`Cannot write ${file.path.join("/")}: ${reason}`, {
          hint: "Check that the disk has enough space for all objects",
          cause,
        });
      await writeFetched(
        join(root, ...file.path),
        notWritten,
        (target) =>
          fetchObject(s3, file, file, target, (bytes) => {
            all += bytes - own;
            own = bytes;
            progress(all, size);
          }, RANGES),
      );
    });
    signal.throwIfAborted();
    await put(root);
  });
  return { path: destination.path, files: files.length, bytes: size };
}

interface OutputFile extends StoredObject {
  readonly bucket: string;
  /** Names of its directories, and its own name. */
  readonly path: readonly string[];
}

/** Lists the objects that the job wrote. @throws MlcliError if there are none. */
async function filesOf(
  job: CloudJob,
  s3: Pick<S3, "listObjects">,
  messages: Messages,
): Promise<readonly OutputFile[]> {
  const files: OutputFile[] = [];
  const others: string[] = [];
  for (const [{ bucket, key: prefix }, folder] of placesOf(job)) {
    for await (const page of s3.listObjects(bucket, prefix)) {
      for (const object of page) {
        const { key } = object;
        // A directory's marker, or the model, which download-model fetches.
        if (key.endsWith("/") || job.artifact?.endsWith(`/${key}`)) continue;
        if (!isWrittenBy(job, object)) others.push(s3Uri({ bucket, key }));
        else files.push({ ...object, bucket, path: [...folder, ...pathBelow(key, prefix)] });
      }
    }
  }
  if (others.length > 0) {
    messages.note(`Skipped objects that the job did not write: ${listed(others)}`);
  }
  if (files.length > 0) return files;
  throw new MlcliError(`The ${KIND_NAMES[job.kind]} ${job.name} has no output (${job.status})`, {
    hint: job.artifact
      ? `It wrote only a model. Download the model: mlcli download-model ${job.name}`
      : `See its log: mlcli logs ${job.name}`,
  });
}

/** S3 address of each output, and the local directory for it. */
function placesOf(job: CloudJob): readonly (readonly [S3Address, readonly string[]])[] {
  return job.outputs.map(({ name, uri }) => {
    const address = parseS3Uri(uri);
    if (!address) {
      throw new MlcliError(`The S3 URI of the job's output is not supported: ${inOneLine(uri)}`);
    }
    if (job.kind === "train") return [within(address, `${job.name}/output/`), []];
    return [asDirectory(address), job.kind === "process" ? pathBelow(name, "") : []];
  });
}

/**
 * After its end, its last outputs may still be on their way, in ms. Those of a transform are there then;
 * clocks differ.
 */
const LATE = { train: 15 * 60_000, process: 15 * 60_000, transform: 5_000 } as const;

/** Others may write to the same place; S3 tells the time to the second. */
function isWrittenBy(
  { kind, creationTime, endTime }: CloudJob,
  { key, lastModified }: StoredObject,
): boolean {
  if (kind === "transform" && !key.endsWith(".out")) return false;
  return +lastModified > +creationTime - 1_000 &&
    (endTime === undefined || +lastModified < +endTime + LATE[kind]);
}
