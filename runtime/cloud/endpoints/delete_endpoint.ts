import { AwsError, isPassing, isRefusal, orNothing, withHint } from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { configurationOf, slotsOf } from "../../contract/names.ts";
import { Interrupted } from "../../errors.ts";
import { type Message, type Messages, warning } from "../../messages.ts";
import { sentences } from "../../text.ts";
import type { WaitingHost } from "../connection.ts";
import { Waiter, type WaiterHost } from "../waiter.ts";
import { type DeletionPlan, type PlannedPart, updatingError } from "./delete_plan.ts";
import { deletePart, deletionByHand, partWords } from "./parts.ts";

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
 * Starts to delete the endpoint, unless it is gone or being deleted.
 *
 * @throws AwsError if the endpoint does not exist or is being updated; Interrupted, after a warning
 * that names what might be deleted.
 */
export async function deleteEndpoint(
  { endpoint, description, isGone, parts }: DeletionPlan,
  sagemaker: DeletionApi,
  messages: Messages,
): Promise<void> {
  if (isGone) {
    return messages.state(`Endpoint ${endpoint} no longer exists; deleting its remaining parts`);
  }
  if (description?.status === "Deleting") {
    return messages.state(`Endpoint ${endpoint} is already being deleted`);
  }
  try {
    await sagemaker.deleteEndpoint(endpoint);
  } catch (error) {
    // After a lost answer the SDK asks again, and finds the endpoint being deleted.
    if (isRefusal(error, "in progress") && await isBeingDeleted(sagemaker, endpoint)) return;
    const fates = parts.map((part) => ({ part, fate: "kept" as const }));
    const again = parts.length > 0 ? "To continue, rerun the command" : undefined;
    const outcome = outcomeWords(endpoint, "might be deleted", fates);
    if (error instanceof Interrupted) messages.warning(`Interrupted: ${outcome}`, again);
    if (isRefusal(error, "in progress")) throw updatingError(endpoint, "in progress");
    if (!isPassing(error)) throw error;
    throw withHint(error, sentences(outcome, again, error.hint));
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
 * Deletes configurations and models after the endpoint, and warns of those that remain.
 *
 * @throws AwsError if SageMaker refuses. Its hint lists what is deleted and what is not.
 */
export async function deleteParts(
  plan: DeletionPlan,
  sagemaker: DeletionApi,
  messages: Messages,
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
        messages.warning(`Interrupted: ${outcomeWords(plan.endpoint, "is deleted", fates)}`);
        messages.tell(leftMessages(plan, leftParts(), choice));
      }
      if (!(error instanceof AwsError)) throw error;
      if (isRefusal(error, "not found")) {
        one.fate = "not there";
        continue;
      }
      failure ??= error;
      if (isPassing(error)) one.fate = "perhaps deleted";
      // Another deletion might be allowed. After other failures, mlcli stops.
      if (!isRefusal(error, "denied")) break;
    }
  }
  const configurations = fates.filter(({ part }) => part.kind === "configuration");
  if (configurations.length > 0 && configurations.every(({ fate }) => fate === "not there")) {
    // The endpoint's configuration might have another name.
    messages.note(`Endpoint configuration ${configurationOf(plan.endpoint)} does not exist`);
  }
  messages.tell(leftMessages(plan, failure ? [] : leftParts(), choice));
  if (!failure) return;
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

/** Returns warnings of the parts that remain, including the parts to keep. */
function leftMessages(
  { endpoint, kept }: DeletionPlan,
  left: readonly PlannedPart[],
  choice: AwsOptions,
): readonly Message[] {
  const ourNames = slotsOf(endpoint).flatMap(({ configuration, model }) => [configuration, model]);
  return [...left, ...kept].map((part) => {
    const others = ourNames.includes(part.name) ? "" : " (other endpoints might use it)";
    return warning(
      `Not deleted: ${partWords(part)}${others}`,
      `Delete it: ${deletionByHand(part, choice)}`,
    );
  });
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
 * Waits until the planned endpoint is gone. (The SDK's waiter treats every ValidationException as a sign that
 * it is gone.) A newer endpoint of the same name does not count.
 *
 * @param timeout seconds.
 * @throws AwsError if SageMaker could not delete the endpoint, or after the timeout.
 */
export async function waitUntilGone(
  sagemaker: SageMaker,
  { endpoint, description }: Pick<DeletionPlan, "endpoint" | "description">,
  host: WaiterHost & Pick<WaitingHost, "waiting">,
  timeout: number,
): Promise<void> {
  // The progress line shows why SageMaker does not respond.
  const start = host.clock.now();
  const waiter = new Waiter(host, { what: "deletion", isSilent: true, timeout });
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
      // Right after the request, an endpoint might still have its previous status.
      if (wasDeleting && current.status === "Failed") throw couldNotDeleteError(current);
      wasDeleting ||= current.status === "Deleting";
    }
    const { failure } = waiter;
    const state = failure?.message ?? current!.status;
    if (waiter.isOver) throw tooLongError(endpoint, state, failure, timeout);
    host.waiting.show(`Waiting until ${endpoint} is deleted: ${state}`, host.clock.now() - start);
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
