import { ifAllowed, isRefusal } from "../../aws/errors.ts";
import { parseS3Uri, type S3Address } from "../../contract/addresses.ts";
import { JOB_KINDS } from "../../contract/jobs.ts";
import { MlcliError } from "../../errors.ts";
import { inOneLine, printable } from "../../text.ts";
import { describeJob, type DescribeJobs } from "./describe.ts";
import { hasEnded, KIND_NAMES } from "./job.ts";

/**
 * The archive that a training job left.
 * @throws MlcliError where there is none, or no such job.
 */
export async function modelOfTraining(
  name: string,
  sagemaker: DescribeJobs,
): Promise<S3Address> {
  const job = await describeJob(sagemaker, { kind: "train", name }).catch(async (error) => {
    if (isRefusal(error, "not found")) await refuseOther(name, sagemaker);
    throw error;
  });
  const { status, artifact, failureReason } = job;
  if (!hasEnded(job)) {
    throw new MlcliError(`Job ${name} has no model yet (${inOneLine(status)})`, {
      hint: `Wait for the job: mlcli wait ${name}`,
    });
  }
  if (!artifact) {
    throw new MlcliError(`Job ${name} has no model (${status})`, {
      quote: failureReason && printable(failureReason),
      hint: `See its log: mlcli logs ${name}`,
    });
  }
  const address = parseS3Uri(artifact);
  if (address) return address;
  throw new MlcliError(`The S3 URI of the job's model is not supported: ${inOneLine(artifact)}`);
}

/** @throws MlcliError where a job of another kind has that name. */
async function refuseOther(name: string, sagemaker: DescribeJobs): Promise<void> {
  for (const kind of JOB_KINDS) {
    if (kind === "train") continue;
    const job = await ifAllowed(describeJob(sagemaker, { kind, name }), () => {});
    if (job === undefined) continue;
    throw new MlcliError(`${name} is a ${KIND_NAMES[kind]}, which has no model`, {
      hint: `Download its output: mlcli download-output ${name}`,
    });
  }
}
