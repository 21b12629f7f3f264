/**
 * Where the archive of a model lies: at an address, or where a training job left it.
 *
 * @module
 */

import { isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import { isResourceName } from "../../contract/limits.ts";
import { parseS3Uri, type S3Address } from "../../contract/addresses.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import { inOneLine, printable } from "../../text.ts";

/** What somebody named: an address, or a job. */
export type ModelSource =
  | { readonly kind: "address"; readonly address: S3Address }
  | { readonly kind: "job"; readonly name: string };

/**
 * Tells addresses and names of jobs apart.
 * @throws UsageError where it can be neither.
 */
export function modelSource(typed: string): ModelSource {
  if (isResourceName(typed)) return { kind: "job", name: typed };
  const address = parseS3Uri(typed);
  const shape = "Such as churn-2026-03-01-09-30-00-123, or s3://my-bucket/JOB/output/model.tar.gz";
  if (!address) {
    throw new UsageError(
      `Neither a job's name nor an address in S3: "${inOneLine(typed)}"`,
      { hint: shape },
    );
  }
  if (address.key === "" || address.key.endsWith("/")) {
    throw new UsageError(`A directory, not an archive of a model: "${inOneLine(typed)}"`, {
      hint: shape,
    });
  }
  return { kind: "address", address };
}

/** What of SageMaker is asked. */
export type JobAccess = Pick<SageMaker, "describeTrainingJob" | "describeProcessingJob">;

/**
 * The archive that a training job left.
 * @throws MlcliError where there is none, or no such job.
 */
export async function artifactOf(name: string, sagemaker: JobAccess): Promise<S3Address> {
  const { TrainingJobStatus: status, ModelArtifacts, FailureReason } = await sagemaker
    .describeTrainingJob(name).catch(async (error) => {
      if (isRefusal(error, "not found")) await refuseProcessing(name, sagemaker);
      throw error;
    });
  const artifact = ModelArtifacts?.S3ModelArtifacts;
  const isOver = status !== "InProgress" && status !== "Stopping";
  if (!isOver) {
    throw new MlcliError(`The job has no model yet: ${name} (${status})`, {
      hint: `Wait for its end: mlcli wait ${name}`,
    });
  }
  if (!artifact) {
    throw new MlcliError(`The job left no model: ${name} (${status})`, {
      quote: FailureReason && printable(FailureReason),
      hint: `Its log says more: mlcli logs ${name}`,
    });
  }
  const address = parseS3Uri(artifact);
  if (address) return address;
  throw new MlcliError(`The job's model is at no address that mlcli knows: ${inOneLine(artifact)}`);
}

/** @throws MlcliError where the job is a processing job. Whether it is may be unknown. */
async function refuseProcessing(name: string, sagemaker: JobAccess): Promise<void> {
  const isProcessing = await sagemaker.describeProcessingJob(name).then(() => true, (error) => {
    if (isRefusal(error, "not found") || isRefusal(error, "denied")) return false;
    throw error;
  });
  if (!isProcessing) return;
  throw new MlcliError(`A processing job has no model: ${name}`, {
    hint: `mlcli describe ${name} shows where its outputs are.`,
  });
}
