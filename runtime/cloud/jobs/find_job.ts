/**
 * Finding a job by its name alone: training and processing jobs have names of their own, so there
 * may be one of each.
 *
 * @module
 */

import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import { regionWords } from "../../aws/settings.ts";
import { checkJobName } from "../../contract/job_names.ts";
import { JOB_KINDS, type JobKind } from "../../contract/jobs.ts";
import { MlcliError } from "../../errors.ts";
import { type CloudJob, describeJob, KIND_WORDS } from "./job.ts";

/**
 * Finds the job of a name. All kinds are asked, unless one is given.
 *
 * @throws UsageError where no job can have that name, MlcliError where there are several.
 * @throws AwsError where there is none, or no kind may be asked.
 */
export async function findJob(
  sagemaker: Pick<SageMaker, "describeTrainingJob" | "describeProcessingJob" | "region">,
  name: string,
  kind?: JobKind,
): Promise<CloudJob> {
  checkJobName(name);
  if (kind) return await describeJob(sagemaker, { kind, name });
  const answers = await Promise.allSettled(
    JOB_KINDS.map((one) => describeJob(sagemaker, { kind: one, name })),
  );
  const found = answers.flatMap((answer) => answer.status === "fulfilled" ? [answer.value] : []);
  if (found.length > 1) throw several(name, found);
  if (found[0]) return found[0];
  const failures = answers.flatMap((answer) => answer.status === "rejected" ? [answer.reason] : []);
  const other = failures.find((error) =>
    !isRefusal(error, "not found") && !isRefusal(error, "denied")
  );
  if (other) throw other;
  const denials = failures.filter((error) => isRefusal(error, "denied"));
  if (denials.length === failures.length) throw denials[0];
  throw notThere(name, sagemaker, denials[0]);
}

function several(name: string, jobs: readonly CloudJob[]): MlcliError {
  return new MlcliError(`Several jobs are called ${name}`, {
    quote: jobs.map((job) => `${KIND_WORDS[job.kind]}: ${job.status}`).join("\n"),
    hint: `Choose one: ${jobs.map(({ kind }) => `--kind ${kind}`).join(" or ")}.`,
  });
}

function notThere(
  name: string,
  { region }: Pick<SageMaker, "region">,
  denial: AwsError | undefined,
): AwsError {
  const denied = denial ? ` Not all kinds of jobs may be asked for: ${denial.message}.` : "";
  return new AwsError("not found", `ResourceNotFound: job ${name}`, {
    hint: `It was looked for in ${regionWords(region)}. Check the name (mlcli list-jobs shows ` +
      `what there is), or name another region with --region.${denied}`,
  });
}
