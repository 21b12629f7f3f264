/**
 * Deleting an endpoint and what belongs to it, as planned. However that ends, it is told what is
 * deleted, and what is left.
 *
 * @module
 */

import { AwsError, isPassing, isRefusal, withHint } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { configurationOf, slotsOf } from "../../contract/names.ts";
import { Interrupted } from "../../errors.ts";
import { type Belonging, BELONGING_WORDS, removalByHand } from "./commands.ts";
import { type DeletionPlan, type DeletionReport, isUpdating, type Planned } from "./deletion.ts";

/** What has become of something. */
type State = "deleted" | "not there" | "perhaps deleted" | "kept";

interface ThingState {
  readonly thing: Planned;
  state: State;
}

/** What is asked of SageMaker. */
type Asked = Pick<SageMaker, "deleteEndpoint" | "deleteEndpointConfiguration" | "deleteModel">;

/**
 * Deletes the endpoint, unless that is being deleted already. After an interruption a note says
 * what is left.
 *
 * @throws AwsError when there is no such endpoint, or it is being updated.
 */
export async function deletePlannedEndpoint(
  sagemaker: Asked,
  { endpoint, description, isGone, things }: DeletionPlan,
  report: DeletionReport,
): Promise<void> {
  if (isGone) {
    return report.note(`There is no endpoint ${endpoint} any more; deleting what is left.`);
  }
  if (description?.status === "Deleting") {
    report.note(`${endpoint} is being deleted already.`);
    return;
  }
  try {
    await sagemaker.deleteEndpoint(endpoint);
  } catch (error) {
    const states = things.map((thing) => ({ thing, state: "kept" as const }));
    const again = things.length > 0 ? " The same command goes on, or says what is left." : "";
    const rest = `${howItIs(endpoint, "perhaps deleted", states)}.${again}`;
    if (error instanceof Interrupted) report.note(`Interrupted: ${rest}`);
    if (isRefusal(error, "in progress")) throw isUpdating(endpoint, "in progress");
    if (!isPassing(error)) throw error;
    throw withHint(error, `${rest} ${error.hint ?? ""}`.trimEnd());
  }
}

/**
 * Deletes what belongs to the endpoint, after that, and tells what is left.
 * @throws AwsError when the service refuses; its hint says what is deleted and what is not.
 */
export async function deletePlannedThings(
  sagemaker: Asked,
  plan: DeletionPlan,
  report: DeletionReport,
  choice: AwsOptions,
): Promise<void> {
  const states: readonly ThingState[] = plan.things.map((thing) => ({
    thing,
    state: thing.isThere === false ? "not there" : "kept",
  }));
  let failure: AwsError | undefined;
  for (const one of states) {
    if (one.state === "not there") continue;
    try {
      await deleteThing(sagemaker, one.thing);
      one.state = "deleted";
    } catch (error) {
      if (error instanceof Interrupted) {
        one.state = "perhaps deleted";
        report.note(`Interrupted: ${howItIs(plan.endpoint, "deleted", states)}.`);
        noteRest(plan, states, report, choice);
      }
      if (!(error instanceof AwsError)) throw error;
      if (isRefusal(error, "not found")) {
        one.state = "not there";
        continue;
      }
      failure ??= error;
      if (isPassing(error)) one.state = "perhaps deleted";
      // Others may be allowed; where nobody answers, nothing is.
      if (!isRefusal(error, "denied")) break;
    }
  }
  noteMissing(plan.endpoint, states, report);
  if (!failure) return noteRest(plan, states, report, choice);
  noteRest(plan, [], report, choice);
  const undone = states.filter(({ state }) => state === "kept" || state === "perhaps deleted");
  const byHand = undone.map(({ thing }) => removalByHand(thing, choice)).join("; ");
  const sentences = [
    `${howItIs(plan.endpoint, "deleted", states)}.`,
    failure.hint,
    `Then: ${byHand}`,
  ];
  throw withHint(failure, sentences.filter((part) => part).join(" "));
}

function deleteThing(sagemaker: Asked, { kind, name }: Belonging): Promise<void> {
  return kind === "model"
    ? sagemaker.deleteModel(name)
    : sagemaker.deleteEndpointConfiguration(name);
}

/** Says so where there was no configuration to delete: its name may be another one. */
function noteMissing(
  endpoint: string,
  states: readonly ThingState[],
  { note }: DeletionReport,
): void {
  const configurations = states.filter(({ thing }) => thing.kind === "configuration");
  if (configurations.length === 0 || configurations.some(({ state }) => state !== "not there")) {
    return;
  }
  note(`Endpoint configuration ${configurationOf(endpoint)} does not exist.`);
}

/** What is left, and how to remove it. */
function noteRest(
  { endpoint, kept }: Pick<DeletionPlan, "endpoint" | "kept">,
  states: readonly ThingState[],
  { note }: DeletionReport,
  choice: AwsOptions,
): void {
  const undone = states.filter(({ state }) => state === "kept" || state === "perhaps deleted");
  const own = slotsOf(endpoint).flatMap(({ configuration, model }) => [configuration, model]);
  for (const thing of [...undone.map((one) => one.thing), ...kept]) {
    const others = own.includes(thing.name) ? "" : " (others may use it)";
    const removal = removalByHand(thing, choice);
    note(`Left: ${BELONGING_WORDS[thing.kind]} ${thing.name}${others}. To delete it: ${removal}`);
  }
}

/** `churn is deleted, its configuration churn-config may be, its model churn-mlcli is not` */
function howItIs(
  endpoint: string,
  state: State,
  things: readonly ThingState[],
): string {
  const words: Readonly<Record<State, string>> = {
    deleted: "is",
    "perhaps deleted": "may be",
    kept: "is not",
    "not there": "",
  };
  const first = `${endpoint} ${state === "deleted" ? "is" : "may be"} deleted`;
  const others = things.filter((one) => one.state !== "not there").map((one) =>
    `its ${one.thing.kind} ${one.thing.name} ${words[one.state]}`
  );
  return [first, ...others].join(", ");
}
