import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { requireNamed } from "../app/named_path.ts";
import { absolutePath } from "../app/typed_path.ts";
import type { S3, StoredObject } from "../aws/s3.ts";
import { asDirectory, parseS3Uri, type S3Address, within } from "../contract/addresses.ts";
import { JOB_KINDS, type JobKind } from "../contract/jobs.ts";
import { checkJobName } from "../contract/names.ts";
import { fileErrorReason, isSystemError, MlcliError } from "../errors.ts";
import { inOneLine } from "../text.ts";
import { findByName } from "./by_name/by_name.ts";
import { type CloudChoice, type CloudHost, connectToAws } from "./connection.ts";
import { emptyDirectory } from "./download/destination.ts";
import { fetchObject } from "./download/fetch_object.ts";
import { pathBelow } from "./download/object_path.ts";
import { inParallel, type Note } from "./in_parallel.ts";
import { type CloudJob, hasEnded, KIND_NAMES } from "./jobs/job.ts";

export interface OutputDownload {
  readonly choice: CloudChoice;
  readonly name: string;
  /** Default: all kinds. */
  readonly kind: JobKind | undefined;
  /** As typed; `undefined`: a directory of the job's name. */
  readonly to: string | undefined;
}

export interface OutputReport {
  readonly note: Note;
  /** Called often. */
  progress(bytes: number, size: number): void;
}

export interface DownloadedOutput {
  /** The directory: absolute. */
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

/** How many objects are fetched at once, and of each so many ranges. */
const OBJECTS = 8;
const RANGES = 2;

/**
 * Downloads what a job left, apart from a model, into an empty or new directory: all of it, or nothing.
 *
 * @throws MlcliError where there is nothing, the directory cannot take it, or an object can be no file.
 */
export async function downloadOutput(
  { choice, name, kind, to = name }: OutputDownload,
  host: CloudHost,
  report: OutputReport,
): Promise<DownloadedOutput> {
  checkJobName(name);
  await requireNamed(host.cwd, to, "--to ");
  const path = absolutePath(host.cwd, to).replace(/(?!^)[/\\]+$/, "");
  const destination = await emptyDirectory(path, to);
  const aws = await connectToAws(choice, host);
  const job = await findByName(await aws.sagemaker(), name, kind ? [kind] : JOB_KINDS);
  if (!hasEnded(job)) {
    throw new MlcliError(`The job has no output yet: ${name} (${inOneLine(job.status)})`, {
      hint: `Wait for its end: mlcli wait ${name}`,
    });
  }
  const s3 = await aws.s3();
  const files = await filesOf(job, s3, report.note);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const { signal } = host.interruption;
  await destination.with(async (folder, put) => {
    const root = join(folder, "output");
    await Deno.mkdir(root);
    let all = 0;
    await inParallel(files, OBJECTS, async (file) => {
      signal.throwIfAborted();
      let own = 0;
      await write(
        join(root, ...file.path),
        file,
        (target) =>
          fetchObject(s3, file, file, target, (bytes) => {
            all += bytes - own;
            own = bytes;
            report.progress(all, size);
          }, RANGES),
      );
    });
    signal.throwIfAborted();
    await put(root);
  });
  return { path, files: files.length, bytes: size };
}

interface OutputFile extends StoredObject {
  readonly bucket: string;
  /** Names of directories, and its own. */
  readonly path: readonly string[];
}

/** Explains errors of the system, such as a full disk, or two keys that are one name here. */
async function write(
  path: string,
  { path: names }: OutputFile,
  fetch: (target: Deno.FsFile) => Promise<void>,
): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    using target = await Deno.open(path, { write: true, createNew: true });
    await fetch(target);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new MlcliError(`Cannot write ${names.join("/")}: ${fileErrorReason(error)}`, {
      hint: "Nothing is left of it. It takes as much room as the objects in S3.",
      cause: error,
    });
  }
}

/** Lists what the job wrote. @throws MlcliError where that is nothing. */
async function filesOf(
  job: CloudJob,
  s3: Pick<S3, "listObjects">,
  note: Note,
): Promise<readonly OutputFile[]> {
  const files: OutputFile[] = [];
  let others = 0;
  for (const [{ bucket, key: prefix }, folder] of placesOf(job)) {
    for await (const page of s3.listObjects(bucket, prefix)) {
      for (const object of page) {
        const { key } = object;
        // A directory's marker, or the model, which download-model fetches.
        if (key.endsWith("/") || job.artifact?.endsWith(`/${key}`)) continue;
        if (!isWrittenBy(job, object)) others++;
        else files.push({ ...object, bucket, path: [...folder, ...pathBelow(key, prefix)] });
      }
    }
  }
  if (others > 0) note(`Left out what the job did not write there: ${others} of the objects.`);
  if (files.length > 0) return files;
  throw new MlcliError(`The ${KIND_NAMES[job.kind]} left no output: ${job.name} (${job.status})`, {
    hint: NOTHING[job.kind](job.name),
  });
}

const NOTHING: Readonly<Record<JobKind, (name: string) => string>> = {
  train: (name) =>
    `Its code wrote nothing to /opt/ml/output/data. Its model: mlcli download-model ${name}`,
  process: (name) => `Its log says more: mlcli logs ${name}`,
  transform: (name) =>
    "SageMaker keeps no outputs of a transform that is stopped, nor of data that failed. Its log " +
    `says more: mlcli logs ${name}`,
};

/** Where its outputs lie, and the directory here that each goes into. */
function placesOf(job: CloudJob): readonly (readonly [S3Address, readonly string[]])[] {
  return job.outputs.map(({ name, uri }) => {
    const address = parseS3Uri(uri);
    if (!address) {
      throw new MlcliError(`The job's output is at no address that mlcli knows: ${inOneLine(uri)}`);
    }
    if (job.kind === "train") return [within(address, `${job.name}/output/`), []];
    return [asDirectory(address), job.kind === "process" ? pathBelow(name, "") : []];
  });
}

/** After its end, its last outputs may still be on their way, in ms. */
const LATE = 15 * 60_000;

/** Others may write to the same place; S3 tells the time to the second. */
function isWrittenBy(
  { kind, creationTime, endTime }: CloudJob,
  { key, lastModified }: StoredObject,
): boolean {
  if (kind === "transform" && !key.endsWith(".out")) return false;
  return +lastModified > +creationTime - 1_000 &&
    (endTime === undefined || +lastModified < +endTime + LATE);
}
