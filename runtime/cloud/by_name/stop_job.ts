import type { Aws } from "../../aws/aws.ts";
import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import { JOB_KINDS } from "../../contract/jobs.ts";
import { MlcliError } from "../../errors.ts";
import { type CloudHost, connectToAws } from "../connection.ts";
import { deletionOf } from "../endpoints/parts.ts";
import { artifactOf, billWords } from "../jobs/end.ts";
import { followJob, type JobReport } from "../jobs/follow.ts";
import { describeJob } from "../jobs/describe.ts";
import { type CloudJob, hasEnded, KIND_NAMES } from "../jobs/job.ts";
import { endModelOf } from "../transform/own_model.ts";
import { findByName, type NamedRequest } from "./by_name.ts";

/** Settings of `mlcli stop-job`, under the names of their options. */
export interface StopRequest extends NamedRequest {
  /** Whether to wait until the job has ended. */
  readonly wait: boolean;
  /** Asks before outputs are lost. If it returns `false`, the job keeps running. */
  readonly isAgreed: (question: string) => Promise<boolean>;
}

/**
 * Stops a job; one that has ended already stays as it is. Its name is the result, or what it is then.
 *
 * @throws AwsError where there is no such job, or it may not be stopped.
 * @throws MlcliError where there are several, and where it is an endpoint's name.
 */
export async function stopJob(
  request: StopRequest,
  host: CloudHost,
  report: JobReport,
): Promise<void> {
  const { name, wait } = request;
  const aws = await connectToAws(request, host);
  const job = await jobOf(await aws.sagemaker(), request);
  if (job.kind === "transform" && job.status === "InProgress") {
    const question = `SageMaker discards the results of a stopped transform job. Stop ${name}?`;
    if (!await request.isAgreed(question)) return report.note("The job was not stopped");
  }
  const ended = hasEnded(job) ? job : await stop(job, aws);
  if (ended) {
    report.note(`Nothing to stop: the ${KIND_NAMES[job.kind]} has ended (${ended.status})`);
    await endModelOf(ended, await aws.sagemaker(), report, request);
    return await report.result([name], () => ended);
  }
  if (wait) {
    const { job: end } = await followJob(job, aws, host, report, { log: false, choice: request });
    const bill = billWords(end);
    if (bill) report.note(`Time: ${bill}`);
    const artifact = await artifactOf(end, aws);
    if (artifact) report.note(`Partial output: ${artifact}`);
    await endModelOf(end, await aws.sagemaker(), report, request);
    return await report.result([name], () => end);
  }
  await report.result([name], async () => await describeJob(await aws.sagemaker(), job));
  await endModelOf(job, await aws.sagemaker(), report, request);
}

/** Finds the job. Where there is none, a hint says so if the name is an endpoint's. */
async function jobOf(sagemaker: SageMaker, request: StopRequest): Promise<CloudJob> {
  const { name, kind } = request;
  if (kind === "endpoint") throw endpointError(request);
  try {
    return await findByName(sagemaker, name, kind ? [kind] : JOB_KINDS);
  } catch (error) {
    if (kind || !isRefusal(error, "not found")) throw error;
    if (await sagemaker.describeEndpoint(name).catch(() => undefined)) throw endpointError(request);
    throw error;
  }
}

function endpointError(request: StopRequest): MlcliError {
  return new MlcliError(`"${request.name}" is an endpoint, not a job`, {
    hint: `Delete the endpoint to stop its costs: ${deletionOf(request.name, request)}`,
  });
}

/** Stops it; returns the job where it had ended already. */
async function stop({ kind, name }: CloudJob, aws: Aws): Promise<CloudJob | undefined> {
  const sagemaker = await aws.sagemaker();
  try {
    await sagemaker.stopJob(kind, name);
    return undefined;
  } catch (error) {
    // It may have ended meanwhile. The service has no error code for that.
    if (!(error instanceof AwsError) || isRefusal(error, "denied")) throw error;
    const now = await describeJob(sagemaker, { kind, name }).catch(() => undefined);
    if (now && hasEnded(now)) return now;
    throw error;
  }
}
