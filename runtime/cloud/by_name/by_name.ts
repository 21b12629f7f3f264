import { AwsError, ifAllowed, isRefusal } from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import { regionWords } from "../../aws/settings.ts";
import { JOB_KINDS } from "../../contract/jobs.ts";
import { checkJobName } from "../../contract/names.ts";
import { MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import { type CloudChoice, type CloudHost, connectToAws, type WaitingHost } from "../connection.ts";
import { detailsOf, type EndpointDetails } from "../endpoints/details.ts";
import { waitForEndpoint } from "../endpoints/wait_for_endpoint.ts";
import { endResult } from "../jobs/end.ts";
import { type CloudResult, followJob } from "../jobs/follow.ts";
import { describeJob, type DescribeJobs } from "../jobs/describe.ts";
import { type CloudJob, type Kind, KIND_NAMES } from "../jobs/job.ts";
import { endModelOf } from "../transform/own_model.ts";

/** All kinds, in the order of messages. */
export const KINDS = [...JOB_KINDS, "endpoint"] as const satisfies readonly Kind[];

/** Settings of a command about one job or endpoint, under the names of their options. */
export interface NamedRequest extends CloudChoice {
  readonly name: string;
  /** Default: all kinds. */
  readonly kind: Kind | undefined;
}

type DescribeApi = DescribeJobs & Pick<SageMaker, "describeEndpoint" | "region">;

interface FoundEndpoint extends EndpointDescription {
  readonly kind: "endpoint";
}

export type Found<Of extends Kind> = Of extends "endpoint" ? FoundEndpoint : CloudJob;

/**
 * Finds what has a name.
 *
 * @param kinds that are asked.
 * @throws UsageError where nothing can have that name, MlcliError where several have it.
 * @throws AwsError where there is none, or no kind may be asked.
 */
export async function findByName<Of extends Kind>(
  sagemaker: DescribeApi,
  name: string,
  kinds: readonly Of[],
): Promise<Found<Of>> {
  // Endpoints have names of the same form.
  checkJobName(name);
  const [only, ...others] = kinds;
  if (only !== undefined && others.length === 0) return await describe(sagemaker, only, name);
  const answers = await Promise.allSettled(kinds.map((kind) => describe(sagemaker, kind, name)));
  const found = answers.flatMap((answer) => answer.status === "fulfilled" ? [answer.value] : []);
  if (found.length > 1) throw ambiguousError(name, found);
  if (found[0]) return found[0];
  const failures = answers.flatMap((answer) => answer.status === "rejected" ? [answer.reason] : []);
  const other = failures.find((error) =>
    !isRefusal(error, "not found") && !isRefusal(error, "denied")
  );
  if (other) throw other;
  const refused = failures.filter((error) => isRefusal(error, "denied"));
  if (refused.length === failures.length) throw refused[0];
  throw notFoundError(name, kinds, sagemaker, refused[0]);
}

async function describe<Of extends Kind>(
  sagemaker: DescribeApi,
  kind: Of,
  name: string,
): Promise<Found<Of>> {
  const found: FoundEndpoint | CloudJob = kind === "endpoint"
    ? { ...await sagemaker.describeEndpoint(name), kind }
    : await describeJob(sagemaker, { kind, name });
  return found as Found<Of>;
}

function ambiguousError(name: string, found: readonly (FoundEndpoint | CloudJob)[]): MlcliError {
  const what = found.some(({ kind }) => kind === "endpoint") ? "resources" : "jobs";
  return new MlcliError(`Several ${what} are named "${name}"`, {
    quote: found.map(({ kind, status }) => `${KIND_NAMES[kind]}: ${inOneLine(status)}`).join("\n"),
    hint: `Choose one with ${found.map(({ kind }) => `--kind ${kind}`).join(" or ")}`,
  });
}

function notFoundError(
  name: string,
  kinds: readonly Kind[],
  { region }: Pick<SageMaker, "region">,
  refused: AwsError | undefined,
): AwsError {
  const denied = refused ? ` Some resource kinds could not be searched: ${refused.message}.` : "";
  const [what, lists] = kinds.includes("endpoint")
    ? ["job or endpoint", "mlcli list-jobs and mlcli list-endpoints"]
    : ["job", "mlcli list-jobs"];
  return new AwsError("not found", `ResourceNotFound: ${what} ${name}`, {
    hint: `Check the name with ${lists}, or choose another region with --region. mlcli searched ` +
      `in ${regionWords(region)}.${denied}`,
  });
}

/**
 * Describes the job or the endpoint with a name.
 *
 * @throws AwsError if no job or endpoint has the name; MlcliError if several have it.
 */
export async function describeByName(
  request: NamedRequest,
  host: CloudHost,
): Promise<CloudJob | EndpointDetails> {
  const sagemaker = await (await connectToAws(request, host)).sagemaker();
  const { name, kind } = request;
  const found = await findByName(sagemaker, name, kind ? [kind] : KINDS);
  if (found.kind === "endpoint") return await detailsOf(sagemaker, found, host.messages);
  if (found.model === undefined) return found;
  const model = await ifAllowed(sagemaker.describeModel(found.model), () => {});
  const image = (model?.PrimaryContainer ?? model?.Containers?.[0])?.Image;
  return { ...found, image, role: model?.ExecutionRoleArn };
}

/**
 * Waits until a job has ended or an endpoint has settled.
 *
 * @throws AwsError if no job or endpoint has the name; MlcliError if several have it.
 */
export async function waitByName(
  request: NamedRequest,
  host: WaitingHost,
): Promise<CloudResult> {
  const { name, kind } = request;
  const aws = await connectToAws(request, host);
  const found = await findByName(await aws.sagemaker(), name, kind ? [kind] : KINDS);
  if (found.kind === "endpoint") return await waitForEndpoint(found, aws, host, request);
  // The log is the result of mlcli logs. An error shows its last lines.
  const followed = await followJob(found, aws, host, { choice: request });
  await endModelOf(followed.job, await aws.sagemaker(), host.messages, request);
  return await endResult(followed, aws, host.messages);
}
