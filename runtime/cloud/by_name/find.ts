/**
 * Finding something by its name alone: training jobs, processing jobs and endpoints have names of
 * their own, so there may be one of each.
 *
 * @module
 */

import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import { regionWords } from "../../aws/settings.ts";
import { checkJobName } from "../../contract/names.ts";
import { MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import { type CloudJob, describeJob } from "../jobs/job.ts";
import { type Kind, KIND_WORDS } from "./request.ts";

/** What is asked of SageMaker. */
export type Asked = Pick<
  SageMaker,
  "describeTrainingJob" | "describeProcessingJob" | "describeEndpoint" | "region"
>;

/** An endpoint, beside jobs. */
export interface FoundEndpoint extends EndpointDescription {
  readonly kind: "endpoint";
}

/** What there is by a name. */
export type Found<Of extends Kind> = Of extends "endpoint" ? FoundEndpoint : CloudJob;

/**
 * Finds what has a name.
 *
 * @param kinds that are asked.
 * @throws UsageError where nothing can have that name, MlcliError where several have it.
 * @throws AwsError where there is none, or no kind may be asked.
 */
export async function findByName<Of extends Kind>(
  sagemaker: Asked,
  name: string,
  kinds: readonly Of[],
): Promise<Found<Of>> {
  // Endpoints have names of the same form.
  checkJobName(name);
  const [only, ...others] = kinds;
  if (only !== undefined && others.length === 0) return await describe(sagemaker, only, name);
  const answers = await Promise.allSettled(kinds.map((kind) => describe(sagemaker, kind, name)));
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
  throw notThere(name, kinds, sagemaker, denials[0]);
}

async function describe<Of extends Kind>(
  sagemaker: Asked,
  kind: Of,
  name: string,
): Promise<Found<Of>> {
  const found: FoundEndpoint | CloudJob = kind === "endpoint"
    ? { ...await sagemaker.describeEndpoint(name), kind }
    : await describeJob(sagemaker, { kind, name });
  return found as Found<Of>;
}

function several(name: string, found: readonly (FoundEndpoint | CloudJob)[]): MlcliError {
  const what = found.some(({ kind }) => kind === "endpoint") ? "things" : "jobs";
  return new MlcliError(`Several ${what} are called ${name}`, {
    quote: found.map(({ kind, status }) => `${KIND_WORDS[kind]}: ${inOneLine(status)}`).join("\n"),
    hint: `Choose one: ${found.map(({ kind }) => `--kind ${kind}`).join(" or ")}.`,
  });
}

function notThere(
  name: string,
  kinds: readonly Kind[],
  { region }: Pick<SageMaker, "region">,
  denial: AwsError | undefined,
): AwsError {
  const denied = denial ? ` Not all kinds may be asked for: ${denial.message}.` : "";
  const [what, lists] = kinds.includes("endpoint")
    ? ["job or endpoint", "mlcli list-jobs and mlcli list-endpoints show"]
    : ["job", "mlcli list-jobs shows"];
  return new AwsError("not found", `ResourceNotFound: ${what} ${name}`, {
    hint: `It was looked for in ${regionWords(region)}. Check the name (${lists} ` +
      `what there is), or name another region with --region.${denied}`,
  });
}
