import type { Aws } from "../../aws/aws.ts";
import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import { JOB_KINDS } from "../../contract/jobs.ts";
import { MlcliError } from "../../errors.ts";
import { type CloudHost, connectToAws, type WaitingHost } from "../connection.ts";
import { deletionOf } from "../endpoints/parts.ts";
import { artifactOf, tellTime } from "../jobs/end.ts";
import { type CloudResult, followJob } from "../jobs/follow.ts";
import { describeJob } from "../jobs/describe.ts";
import { type CloudJob, hasEnded, KIND_NAMES } from "../jobs/job.ts";
import { endModelOf } from "../transform/own_model.ts";
import { findByName, type NamedRequest } from "./by_name.ts";

/** Settings of `mlcli stop-job`, under the names of their options. */
export interface StopRequest extends NamedRequest {
  /** Whether to wait until the job has ended. */
  readonly wait: boolean;
}

/** A job to stop, which might have ended. */
export interface JobToStop {
  readonly job: CloudJob;
  readonly aws: Aws;
}

/**
 * Finds a job to stop.
 *
 * @throws AwsError if no job has the name; MlcliError if several jobs have it, or an endpoint has it.
 */
export async function findJobToStop(request: StopRequest, host: CloudHost): Promise<JobToStop> {
  const { name, kind } = request;
  if (kind === "endpoint") throw endpointError(request);
  const aws = await connectToAws(request, host);
  const sagemaker = await aws.sagemaker();
  try {
    return { job: await findByName(sagemaker, name, kind ? [kind] : JOB_KINDS), aws };
  } catch (error) {
    if (kind || !isRefusal(error, "not found")) throw error;
    if (await sagemaker.describeEndpoint(name).catch(() => undefined)) throw endpointError(request);
    throw error;
  }
}

/** Whether stopping the job discards its results. */
export function losesResults({ kind, status }: CloudJob): boolean {
  return kind === "transform" && status === "InProgress";
}

/**
 * Stops a job, unless it has ended.
 *
 * @throws AwsError if SageMaker refuses.
 */
export async function stopJob(
  { job, aws }: JobToStop,
  request: StopRequest,
  host: WaitingHost,
): Promise<CloudResult> {
  const { messages } = host;
  const sagemaker = await aws.sagemaker();
  const lines = [request.name];
  const ended = hasEnded(job) ? job : await stop(job, sagemaker);
  if (ended) {
    messages.state(`Nothing to stop: the ${KIND_NAMES[job.kind]} has ended (${ended.status})`);
    await endModelOf(ended, sagemaker, messages, request);
    return { lines, described: () => ended };
  }
  if (!request.wait) {
    await endModelOf(job, sagemaker, messages, request);
    return { lines, described: () => describeJob(sagemaker, job) };
  }
  const { job: end } = await followJob(job, aws, host, { choice: request });
  tellTime(end, messages);
  const artifact = await artifactOf(end, aws);
  if (artifact) messages.state(`Partial output: ${artifact}`);
  await endModelOf(end, sagemaker, messages, request);
  return { lines, described: () => end };
}

function endpointError(request: StopRequest): MlcliError {
  return new MlcliError(`"${request.name}" is an endpoint, not a job`, {
    hint: `Delete the endpoint to stop its costs: ${deletionOf(request.name, request)}`,
  });
}

/** Stops a job. Returns the job if it had ended before. */
async function stop({ kind, name }: CloudJob, sagemaker: SageMaker): Promise<CloudJob | undefined> {
  try {
    await sagemaker.stopJob(kind, name);
    return undefined;
  } catch (error) {
    // The job might have ended since it was described. SageMaker has no error code for that.
    if (!(error instanceof AwsError) || isRefusal(error, "denied")) throw error;
    const now = await describeJob(sagemaker, { kind, name }).catch(() => undefined);
    if (now && hasEnded(now)) return now;
    throw error;
  }
}
