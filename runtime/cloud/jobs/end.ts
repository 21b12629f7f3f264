import type { Aws } from "../../aws/aws.ts";
import { AwsError, orUnknown } from "../../aws/errors.ts";
import { parseS3Uri } from "../../contract/addresses.ts";
import type { JobKind } from "../../contract/jobs.ts";
import { type FailedObject, failedObjects } from "../../contract/data_log.ts";
import { failedFirst } from "../../contract/first_failure.ts";
import { likelyCause } from "../../contract/failure_causes.ts";
import { reasonBesideLog } from "../../contract/outcome.ts";
import { MlcliError } from "../../errors.ts";
import type { Messages } from "../../messages.ts";
import { inOneLine, printable, sentences } from "../../text.ts";
import { dataLog, JobLog, type LogReader } from "../log_reader.ts";
import { type CloudResult, type FollowedJob, LAST_LINES } from "./follow.ts";
import { type CloudJob, type JobCommand, KIND_NAMES } from "./job.ts";

/**
 * Prints the billed time of a job that has ended. Returns the S3 URIs of its artifact or outputs, and an
 * error if it failed (with the whole reason, the last log lines and the likely cause) or was stopped.
 */
export async function endResult(
  followed: FollowedJob,
  aws: Aws,
  messages: Messages,
): Promise<CloudResult> {
  const { job, command } = followed;
  tellTime(job, messages);
  const described = () => job;
  if (job.status === "Completed") {
    if (job.exitMessage) messages.state(`Exit message: ${job.exitMessage}`);
    return { lines: resultsOf(job), described };
  }
  if (job.status !== "Stopped") {
    return { lines: [], described, failure: await failedError(followed, aws) };
  }
  const artifact = await artifactOf(job, aws);
  const failure = stoppedError(job, artifact, command);
  return { lines: artifact === undefined ? [] : [artifact], described, failure };
}

/** Prints the time that a job took and the billed time, if SageMaker reports them. */
export function tellTime(job: CloudJob, messages: Messages): void {
  const bill = billWords(job);
  if (bill) messages.state(`Time: ${bill}`);
}

/** Returns the addresses of the results of a completed job. */
function resultsOf(job: CloudJob): readonly string[] {
  if (job.kind !== "train") return job.outputs.map(({ uri }) => inOneLine(uri));
  return job.artifact === undefined ? [] : [inOneLine(job.artifact)];
}

function stoppedError(
  job: CloudJob,
  artifact: string | undefined,
  command: JobCommand,
): MlcliError {
  const [how, remedy] = howItStopped(job);
  const rest = artifact === undefined
    ? ` ${LEFT_NOTHING[job.kind]}`
    : " Standard output shows the S3 URI of the job's unfinished model.";
  const details = `See the job's details: ${command("describe")}`;
  return new MlcliError(`${title(job)} ${how}`, { hint: `${remedy}${rest} ${details}`.trim() });
}

const LEFT_NOTHING: Readonly<Record<JobKind, string>> = {
  train: "The stopped job saved no model.",
  process: "The results of the stopped job might be incomplete.",
  transform: "SageMaker discards the results of a stopped transform job.",
};

function howItStopped({ kind, secondaryStatus, maxRuntime }: CloudJob): readonly [string, string] {
  switch (secondaryStatus) {
    case "MaxRuntimeExceeded":
      return [`reached its time limit (${maxRuntime} s)`, "To allow more time, raise --max-run."];
    case "MaxWaitTimeExceeded":
      return [
        "was stopped, because it waited too long for spot instances",
        "Raise --max-wait, or omit --spot to use on-demand instances.",
      ];
    case "Interrupted":
      return [
        "was interrupted: AWS reclaimed the spot instance",
        "If the job used --checkpoint-s3-dir, start a new job with that option to continue.",
      ];
    default:
      // For processing jobs the service gives no more detail.
      return [kind === "process" ? "was stopped or reached its time limit" : "was stopped", ""];
  }
}

/**
 * The artifact that a stopped training left. SageMaker names an address also where there is none. Where S3
 * may not be asked, a training that had begun is assumed to have left one.
 */
export async function artifactOf(job: CloudJob, aws: Aws): Promise<string | undefined> {
  if (job.artifact === undefined || job.startTime === undefined) return undefined;
  const address = parseS3Uri(job.artifact);
  if (!address) return undefined;
  try {
    const s3 = await aws.s3();
    for await (const page of s3.listObjects(address.bucket, address.key)) {
      return page.some(({ key }) => key === address.key) ? inOneLine(job.artifact) : undefined;
    }
    return undefined;
  } catch (error) {
    if (error instanceof AwsError) return inOneLine(job.artifact);
    throw error;
  }
}

async function failedError(followed: FollowedJob, aws: Aws): Promise<MlcliError> {
  const { job, log, command } = followed;
  const isShown = log === "shown";
  const { host, lines } = await endOfLog(followed, aws);
  const reason = job.failureReason ?? "";
  const failed = log === "denied" ? [] : await failedData(job, aws);
  const cause = likelyCause({ ...job, reason, log: lines ?? [] });
  const likely = failed[0]?.hint ?? cause?.words;
  const where = lines === undefined
    ? "The log of the job cannot be read"
    : lines.length === 0
    ? "The job wrote no log"
    : isShown
    ? "The last log lines of the job are above"
    : `See the job's whole log: ${command("logs")}`;
  const more = job.kind === "transform"
    ? sentences(
      `Download the results of the other objects, if any: ${command("download-output")}`,
      where,
    )
    : where;
  return new MlcliError(`${title(job)} failed`, {
    quote: [
      printable(reasonBesideLog(reason, lines ?? []) || "SageMaker gave no reason."),
      ...failed.slice(0, MOST_OBJECTS).map(({ words }) => words),
      ...failed.length > MOST_OBJECTS ? [`and ${failed.length - MOST_OBJECTS} more objects`] : [],
      ...lines?.length && (host || !isShown)
        ? ["", host ? `${host} failed first:` : "Last log lines:", ...lines]
        : [],
    ].join("\n"),
    hint: sentences(likely, more),
  });
}

/**
 * The end of a job's log: of the host that failed first, where there are several and their logs tell; else
 * of all. Without lines where it may not be read.
 */
async function endOfLog(
  { job, log, lastLines }: FollowedJob,
  aws: Aws,
): Promise<{ readonly host?: string; readonly lines: readonly string[] | undefined }> {
  if (log === "denied") return { lines: undefined };
  const read = <T>(lines: (log: LogReader) => Promise<T>) =>
    orUnknown(aws.logs().then((logs) => lines(new JobLog(logs, job))));
  const hosts = job.instanceCount > 1 && job.kind !== "transform"
    ? await read((log) => log.tails(HOST_LINES))
    : [];
  const first = failedFirst(job.failureReason ?? "", hosts ?? []);
  if (first !== undefined) return first;
  return { lines: log === "shown" ? lastLines : await read((log) => log.tail(LAST_LINES)) };
}

/** So many lines of that host are shown. */
const HOST_LINES = 20;

/** So many objects that failed are named, and so many lines read for it. */
const MOST_OBJECTS = 5;
const DATA_LINES = 1_000;

/** The objects of a transform that failed, as its log of the data tells. */
async function failedData(job: CloudJob, aws: Aws): Promise<readonly FailedObject[]> {
  const input = parseS3Uri(job.inputs[0]?.uri ?? "");
  if (job.kind !== "transform" || input === undefined) return [];
  const lines = await orUnknown(aws.logs().then((logs) => dataLog(logs, job).tail(DATA_LINES)));
  return failedObjects(lines ?? [], input);
}

/** `Training job churn-2026-03-01` */
function title({ kind, name }: CloudJob): string {
  const words = KIND_NAMES[kind];
  return `${words[0]!.toUpperCase()}${words.slice(1)} ${name}`;
}

/**
 * The time that is billed: `3 min 20 s x 2 ml.m5.large = 6 min 40 s billed; spot saved 70%`.
 * For processing, SageMaker only gives the running time. `undefined` where it gives nothing.
 */
export function billWords(job: CloudJob): string | undefined {
  const { billableSeconds, trainingSeconds, instanceCount, groups } = job;
  const seconds = billableSeconds ?? ranFor(job);
  if (seconds === undefined) return undefined;
  const machines = groups.length > 1 ? `(${machinesText(job)})` : machinesText(job);
  const all = instanceCount > 1 ? ` = ${secondsText(seconds * instanceCount)}` : "";
  const how = billableSeconds === undefined ? "" : " billed";
  const saved = job.isSpot && billableSeconds !== undefined && trainingSeconds
    ? `; spot saved ${Math.round(100 * (1 - billableSeconds / trainingSeconds))}%`
    : "";
  return `${secondsText(seconds)} x ${machines}${all}${how}${saved}`;
}

/** `2 ml.m5.large`, `2 ml.g5.xlarge + 1 ml.m5.large`; only the number where nothing else is known. */
export function machinesText({ groups, instanceCount, instanceType = "" }: CloudJob): string {
  if (groups.length === 0) return `${instanceCount} ${instanceType}`.trim();
  return groups.map(({ type, count }) => `${count} ${type}`).join(" + ");
}

function ranFor({ startTime, endTime }: CloudJob): number | undefined {
  if (!startTime || !endTime) return undefined;
  return Math.ceil((endTime.getTime() - startTime.getTime()) / 1000);
}

/** `45 s`, `3 min 20 s`, `2 h 5 min` */
export function secondsText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  return hours > 0
    ? `${hours} h ${minutes % 60} min`
    : `${minutes} min${seconds % 60 ? ` ${seconds % 60} s` : ""}`;
}
