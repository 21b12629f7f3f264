import { AwsError, isPassing, isRefusal, orNothing, withHint } from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import type { Setting } from "../../setting.ts";
import { checkEndpointName, configurationOf, slotsOf } from "../../contract/names.ts";
import { Interrupted, MlcliError } from "../../errors.ts";
import { sentences } from "../../text.ts";
import { type CloudHost, connectToAws } from "../connection.ts";
import type { JobReport } from "../jobs/follow.ts";
import { Waiter, type WaiterHost } from "../waiter.ts";
import {
  type DeletionPlan,
  type EndpointDeletion,
  planDeletion,
  type PlannedPart,
  updatingError,
} from "./delete_plan.ts";
import type { LookReport } from "./other_users.ts";
import { deletePart, deletionByHand, partWords } from "./parts.ts";

export interface EndpointDeletionReport extends LookReport, Pick<JobReport, "always"> {
  /** Shows the plan. If it returns `false`, nothing is deleted. */
  planned(plan: DeletionPlan, region: Setting<string>): Promise<boolean>;
  /** Called when SageMaker has started to delete the endpoint. */
  deleted(endpoint: string): void;
}

/**
 * Deletes the endpoint and, when asked to, its configurations and models. Everything is checked before
 * anything is deleted.
 *
 * @throws UsageError when no endpoint can have that name.
 * @throws AwsError when it is not there, is being updated, its configuration is in use, or the
 * service refuses; MlcliError when the plan is not agreed to.
 */
export async function deleteEndpoint(
  deletion: EndpointDeletion,
  host: CloudHost,
  report: EndpointDeletionReport,
): Promise<void> {
  checkEndpointName(deletion.endpointName);
  const sagemaker = await (await connectToAws(deletion, host)).sagemaker();
  const plan = await planDeletion(sagemaker, deletion, report);
  const isWanted = await report.planned(plan, sagemaker.region);
  if (deletion.dryRun) return;
  if (!isWanted) throw new MlcliError("Cancelled: nothing was deleted");
  await deletePlannedEndpoint(sagemaker, plan, report);
  try {
    report.deleted(plan.endpoint);
  } finally {
    // Also where standard output is closed.
    await deletePlannedParts(sagemaker, plan, report, deletion);
  }
  if (deletion.wait) await waitUntilGone(sagemaker, plan, report, host, deletion.timeout);
}

type DeletingReport = Pick<JobReport, "note" | "always">;

type Fate = "deleted" | "not there" | "perhaps deleted" | "kept";

interface PartFate {
  readonly part: PlannedPart;
  fate: Fate;
}

type DeletionApi = Pick<
  SageMaker,
  "deleteEndpoint" | "deleteEndpointConfiguration" | "deleteModel" | "describeEndpoint"
>;

/**
 * Deletes the endpoint, unless that is being deleted already. After an interruption a note says
 * what is left.
 *
 * @throws AwsError when there is no such endpoint, or it is being updated.
 */
async function deletePlannedEndpoint(
  sagemaker: DeletionApi,
  { endpoint, description, isGone, parts }: DeletionPlan,
  report: DeletingReport,
): Promise<void> {
  if (isGone) {
    return report.note(`Endpoint ${endpoint} no longer exists; deleting its remaining parts`);
  }
  if (description?.status === "Deleting") {
    return report.note(`Endpoint ${endpoint} is already being deleted`);
  }
  try {
    await sagemaker.deleteEndpoint(endpoint);
  } catch (error) {
    // After a lost answer the SDK asks again, and finds the endpoint being deleted.
    if (isRefusal(error, "in progress") && await isBeingDeleted(sagemaker, endpoint)) return;
    const fates = parts.map((part) => ({ part, fate: "kept" as const }));
    const again = parts.length > 0 ? " To continue, rerun the command." : "";
    const rest = `${outcomeWords(endpoint, "might be deleted", fates)}.${again}`;
    if (error instanceof Interrupted) report.always(`Interrupted: ${rest}`);
    if (isRefusal(error, "in progress")) throw updatingError(endpoint, "in progress");
    if (!isPassing(error)) throw error;
    throw withHint(error, `${rest} ${error.hint ?? ""}`.trimEnd());
  }
}

async function isBeingDeleted(sagemaker: DeletionApi, endpoint: string): Promise<boolean> {
  try {
    return (await sagemaker.describeEndpoint(endpoint)).status === "Deleting";
  } catch (error) {
    return isRefusal(error, "not found");
  }
}

/**
 * Deletes configurations and models after the endpoint, and tells what is left.
 * @throws AwsError when the service refuses; its hint says what is deleted and what is not.
 */
async function deletePlannedParts(
  sagemaker: DeletionApi,
  plan: DeletionPlan,
  report: DeletingReport,
  choice: AwsOptions,
): Promise<void> {
  const fates: readonly PartFate[] = plan.parts.map((part) => ({
    part,
    fate: part.isThere === false ? "not there" : "kept",
  }));
  const leftParts = (): readonly PlannedPart[] =>
    fates.filter(({ fate }) => fate === "kept" || fate === "perhaps deleted")
      .map(({ part }) => part);
  let failure: AwsError | undefined;
  for (const one of fates) {
    if (one.fate === "not there") continue;
    try {
      await deletePart(sagemaker, one.part);
      one.fate = "deleted";
    } catch (error) {
      if (error instanceof Interrupted) {
        one.fate = "perhaps deleted";
        report.always(`Interrupted: ${outcomeWords(plan.endpoint, "is deleted", fates)}`);
        noteLeft(plan, leftParts(), report, choice);
      }
      if (!(error instanceof AwsError)) throw error;
      if (isRefusal(error, "not found")) {
        one.fate = "not there";
        continue;
      }
      failure ??= error;
      if (isPassing(error)) one.fate = "perhaps deleted";
      // Another deletion may be allowed; after other failures, nothing more is tried.
      if (!isRefusal(error, "denied")) break;
    }
  }
  const configurations = fates.filter(({ part }) => part.kind === "configuration");
  if (configurations.length > 0 && configurations.every(({ fate }) => fate === "not there")) {
    // The endpoint's own configuration may have another name.
    report.note(`Endpoint configuration ${configurationOf(plan.endpoint)} does not exist`);
  }
  if (!failure) return noteLeft(plan, leftParts(), report, choice);
  noteLeft(plan, [], report, choice);
  const rest = leftParts().map((part) => deletionByHand(part, choice)).join("; ");
  throw withHint(
    failure,
    sentences(
      outcomeWords(plan.endpoint, "is deleted", fates),
      failure.hint,
      `Then delete the rest: ${rest}`,
    ),
  );
}

/** Notes what is left, also what was to be kept, and how to delete it. */
function noteLeft(
  { endpoint, kept }: DeletionPlan,
  left: readonly PlannedPart[],
  { always }: DeletingReport,
  choice: AwsOptions,
): void {
  const ourNames = slotsOf(endpoint).flatMap(({ configuration, model }) => [configuration, model]);
  for (const part of [...left, ...kept]) {
    const others = ourNames.includes(part.name) ? "" : " (other endpoints might use it)";
    const byHand = deletionByHand(part, choice);
    always(`Not deleted: ${partWords(part)}${others}. To delete it: ${byHand}`);
  }
}

/** `churn is deleted, its configuration c might be deleted, its model m is not deleted` */
function outcomeWords(
  endpoint: string,
  outcome: "is deleted" | "might be deleted",
  fates: readonly PartFate[],
): string {
  const words: Readonly<Record<Fate, string>> = {
    deleted: "is deleted",
    "perhaps deleted": "might be deleted",
    kept: "is not deleted",
    "not there": "",
  };
  const others = fates.filter(({ fate }) => fate !== "not there").map(({ part, fate }) =>
    `its ${part.kind} ${part.name} ${words[fate]}`
  );
  return [`${endpoint} ${outcome}`, ...others].join(", ");
}

/**
 * Waits until the endpoint that the plan describes is gone. (The SDK's own waiter takes any
 * ValidationException as a sign of that.) A newer endpoint of the same name does not count.
 *
 * @param timeout seconds.
 * @throws AwsError when the service could not delete it, or when the time is over.
 */
export async function waitUntilGone(
  sagemaker: SageMaker,
  { endpoint, description }: Pick<DeletionPlan, "endpoint" | "description">,
  report: Pick<JobReport, "progress">,
  host: WaiterHost,
  timeout: number,
): Promise<void> {
  // The progress line says why there is no answer.
  const start = host.clock.now();
  const waiter = new Waiter(host, { what: "deletion", note: () => {}, timeout });
  let current: EndpointDescription | undefined;
  let wasDeleting = false;
  for (;;) {
    const asked = await waiter.ask(
      "endpoint",
      () => orNothing(sagemaker.describeEndpoint(endpoint)),
    );
    if (asked) {
      current = asked.answer;
      if (!current || isSuccessor(current, description)) return;
      // Right after the request an endpoint may still show the status that it had before.
      if (wasDeleting && current.status === "Failed") throw couldNotDeleteError(current);
      wasDeleting ||= current.status === "Deleting";
    }
    const { failure } = waiter;
    const state = failure?.message ?? current!.status;
    if (waiter.isOver) throw tooLongError(endpoint, state, failure, timeout);
    report.progress(`Waiting until ${endpoint} is deleted: ${state}`, host.clock.now() - start);
    await waiter.pause();
  }
}

function isSuccessor(current: EndpointDescription, before?: EndpointDescription): boolean {
  return before !== undefined && current.creationTime > before.creationTime;
}

function couldNotDeleteError({ name, failureReason }: EndpointDescription): AwsError {
  return new AwsError("failed", `SageMaker could not delete endpoint ${name}`, {
    hint: `Retry the deletion: mlcli delete-endpoint --endpoint-name ${name}`,
    quote: failureReason,
  });
}

function tooLongError(
  name: string,
  state: string,
  failure: AwsError | undefined,
  timeout: number,
): AwsError {
  const message = failure
    ? `Cannot tell after ${timeout} s whether endpoint ${name} is deleted: ${state}`
    : `Endpoint ${name} still exists after ${timeout} s (${state})`;
  return new AwsError(failure?.refusal ?? "other", message, {
    hint: "The deletion continues. To wait longer, use --timeout. Check whether the endpoint is " +
      "deleted: mlcli list-endpoints",
    quote: failure?.quote,
    cause: failure?.cause,
  });
}
