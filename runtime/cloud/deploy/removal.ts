/**
 * Deleting what nothing needs any more: what was made in vain, and what served before. Nothing is
 * deleted that an endpoint has or is about to have; what is left is named, with how to delete it.
 *
 * @module
 */

import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { type Slot, slotsOf } from "../../contract/endpoint_slots.ts";
import { Interrupted } from "../../errors.ts";
import { type Belonging, BELONGING_WORDS, removalByHand } from "../endpoints/commands.ts";
import { findOtherUsers, isInUse, type OtherUsers } from "../endpoints/other_users.ts";
import { ifThere } from "../endpoints/settled.ts";
import type { JobReport } from "../jobs/report.ts";
import { isGoingTo, type Made } from "./making.ts";
import type { State } from "./state.ts";

/** What deleting needs. */
export interface Removing {
  readonly sagemaker: SageMaker;
  readonly report: Pick<JobReport, "note" | "progress">;
  /** The options of the command, for command lines to paste. */
  readonly choice: AwsOptions;
}

/** What there is of an endpoint's names, but for these. Configurations come before models. */
function othersThan(
  { configuration, model }: { readonly configuration: string; readonly model: string },
  { endpoint, configurations, models }: State,
): readonly Belonging[] {
  const slots = slotsOf(endpoint);
  return [
    ...slots.filter((one) => one.configuration !== configuration)
      .flatMap(({ configuration: name }): Belonging[] =>
        configurations.has(name) ? [{ kind: "configuration", name }] : []
      ),
    ...slots.filter((one) => one.model !== model)
      .flatMap(({ model: name }): Belonging[] => models.has(name) ? [{ kind: "model", name }] : []),
  ];
}

/**
 * What an endpoint served with before: what is mlcli's, and what is somebody else's.
 */
export function servedBefore(
  { endpoint, base }: State,
): { readonly ours: readonly Belonging[]; readonly others: readonly Belonging[] } {
  if (!base) return { ours: [], others: [] };
  const slots = slotsOf(endpoint);
  const ours: Belonging[] = [];
  const others: Belonging[] = [];
  if (base.configuration) {
    const isOurs = base.isTagged.configuration ||
      slots.some(({ configuration }) => configuration === base.name);
    (isOurs ? ours : others).push({ kind: "configuration", name: base.name });
  }
  const name = base.model?.ModelName;
  if (name !== undefined) {
    const isOurs = base.isTagged.model || slots.some(({ model }) => model === name);
    (isOurs ? ours : others).push({ kind: "model", name });
  }
  return { ours, others };
}

/** What is not needed beside what serves: of mlcli, and of others. */
export function unusedBeside(
  serves: { readonly configuration: string; readonly model: string },
  state: State,
): ReturnType<typeof servedBefore> {
  const isOther = ({ name }: { readonly name: string }): boolean =>
    name !== serves.configuration && name !== serves.model;
  const before = servedBefore(state);
  const left = othersThan(serves, state);
  const all = [...left, ...before.ours.filter(isOther)];
  const names = all.map(({ kind, name }) => `${kind} ${name}`);
  const once = all.filter((_, index) => names.indexOf(names[index]!) === index);
  return {
    ours: [
      ...once.filter(({ kind }) => kind === "configuration"),
      ...once.filter(({ kind }) => kind === "model"),
    ],
    others: before.others.filter(isOther),
  };
}

/** Of what there is, what has the names of what is to be made. */
export function inTheWayOf(slot: Slot, state: State): readonly Belonging[] {
  return othersThan({ configuration: "", model: "" }, state)
    .filter(({ name }) => name === slot.configuration || name === slot.model);
}

/** Those that other endpoints use. */
async function usersOf(
  things: readonly Belonging[],
  endpoint: string,
  { sagemaker, report }: Removing,
): Promise<OtherUsers> {
  const names = (kind: Belonging["kind"]): string[] =>
    things.filter((thing) => thing.kind === kind).map(({ name }) => name);
  const looked = { configurations: names("configuration"), models: names("model") };
  return await findOtherUsers(sagemaker, endpoint, looked, report);
}

function usersIn(users: OtherUsers, { kind, name }: Belonging): readonly string[] {
  return (kind === "model" ? users.models : users.configurations).get(name) ?? [];
}

/**
 * Requires that nobody else uses what is in the way of what is to be made.
 *
 * @throws AwsError
 */
export async function requireUnused(
  things: readonly Belonging[],
  endpoint: string,
  removing: Removing,
): Promise<void> {
  if (things.length === 0) return;
  const users = await usersOf(things, endpoint, removing);
  for (const thing of things) {
    const names = usersIn(users, thing);
    if (names.length === 0) continue;
    if (thing.kind === "configuration") throw isInUse(thing.name, names);
    throw new AwsError("other", `Model ${thing.name} is used by ${names.join(", ")}`, {
      hint: `Nothing was changed. ${endpoint} needs the name for its new model: have the others ` +
        "use a model of their own, or delete them.",
    });
  }
}

/** Deletes what is in the way. @throws AwsError, Interrupted */
export async function deleteInTheWay(
  things: readonly Belonging[],
  { sagemaker, report }: Removing,
): Promise<void> {
  for (const thing of things) {
    report.progress(`Deleting ${BELONGING_WORDS[thing.kind]} ${thing.name}`, 0);
    if (await deleteThing(thing, sagemaker)) {
      report.note(`Deleted ${BELONGING_WORDS[thing.kind]} ${thing.name}, which nothing used`);
    }
  }
}

/**
 * Deletes what the endpoint needs no more. What cannot be deleted is named: the endpoint serves, so
 * that is no failure.
 *
 * @throws Interrupted, after a note of what is left.
 */
export async function deleteUnused(
  things: readonly Belonging[],
  endpoint: string,
  removing: Removing,
): Promise<void> {
  if (things.length === 0) return;
  const { sagemaker, report, choice } = removing;
  const left = [...things];
  try {
    const users = await usersOf(things, endpoint, removing);
    for (const thing of things) {
      const names = usersIn(users, thing);
      const words = `${BELONGING_WORDS[thing.kind]} ${thing.name}`;
      if (names.length > 0) {
        report.note(`Kept ${words}, which ${names.join(", ")} uses`);
      } else {
        report.progress(`Deleting ${words}`, 0);
        if (await deleteThing(thing, sagemaker)) report.note(`Deleted ${words}`);
      }
      left.shift();
    }
  } catch (error) {
    if (!(error instanceof AwsError) && !(error instanceof Interrupted)) throw error;
    const isOver = error instanceof Interrupted;
    const why = isOver ? "Interrupted" : error.message;
    report.note(`${why}: ${listOf(left, choice)} Nothing uses that; the next deploy deletes it.`);
    if (isOver) throw error;
  }
}

/**
 * Deletes what was made in vain: what is still this run's, and what the endpoint neither has nor is
 * about to have. What is left is named.
 *
 * @param isAsked whether the endpoint was asked to serve it.
 * @returns whether nothing is left of it.
 */
export async function undo(
  made: readonly Made[],
  { endpoint, isAsked }: { readonly endpoint: string; readonly isAsked: boolean },
  { sagemaker, report, choice }: Removing,
): Promise<boolean> {
  const left: Made[] = [];
  // A configuration names its model: it goes first.
  const rest = made.toReversed();
  let free: "free" | "used" | "unknown" = "free";
  try {
    if (isAsked) free = await isFree(made, endpoint, sagemaker);
    for (; rest[0]; rest.shift()) {
      const isGone = free === "free" && await deleteOwn(rest[0], { sagemaker, report, choice });
      if (!isGone) left.push(rest[0]);
    }
  } catch (error) {
    if (error instanceof Interrupted) tellLeft([...left, ...rest], { report, choice });
    throw error;
  }
  if (left.length === 0) return true;
  const why = free === "used"
    ? `${endpoint} uses it, or is about to`
    : free === "unknown"
    ? `whether ${endpoint} uses it is not known`
    : "nothing uses it, and the next deploy deletes it";
  report.note(`${listOf(left, choice)} It is left: ${why}.`);
  return false;
}

/** What an interruption leaves: nothing can be asked any more. */
export function tellLeft(
  made: readonly Made[],
  { report, choice }: Pick<Removing, "report" | "choice">,
): void {
  report.note(
    made.length === 0
      ? "Interrupted: nothing was created."
      : `Interrupted. ${listOf(made, choice)} Nothing uses that; the same command goes on.`,
  );
}

async function isFree(
  made: readonly Made[],
  endpoint: string,
  sagemaker: SageMaker,
): Promise<"free" | "used" | "unknown"> {
  const name = made.find(({ kind }) => kind === "configuration")?.name;
  if (name === undefined) return "free";
  try {
    const now = await ifThere(sagemaker, endpoint);
    return now && isGoingTo(now, name) ? "used" : "free";
  } catch (error) {
    if (error instanceof AwsError) return "unknown";
    throw error;
  }
}

/** Deletes what this run has made; `false` where it is left. */
async function deleteOwn(
  { kind, name, created, isCertain }: Made,
  { sagemaker, report }: Removing,
): Promise<boolean> {
  if (!isCertain || created === undefined) return false;
  const words = `${BELONGING_WORDS[kind]} ${name}`;
  try {
    const now = kind === "model"
      ? await sagemaker.describeModel(name)
      : await sagemaker.describeEndpointConfiguration(name);
    // Somebody else's of the same name: not ours to delete.
    if (now.CreationTime?.getTime() !== created.getTime()) return true;
    if (await deleteThing({ kind, name }, sagemaker)) report.note(`Deleted ${words} again`);
    return true;
  } catch (error) {
    if (isRefusal(error, "not found")) return true;
    if (!(error instanceof AwsError)) throw error;
    report.note(`Not deleted: ${words} (${error.message})`);
    return false;
  }
}

/** Deletes it; `false` where it was not there any more. */
async function deleteThing({ kind, name }: Belonging, sagemaker: SageMaker): Promise<boolean> {
  try {
    await (kind === "model"
      ? sagemaker.deleteModel(name)
      : sagemaker.deleteEndpointConfiguration(name));
    return true;
  } catch (error) {
    if (isRefusal(error, "not found")) return false;
    throw error;
  }
}

/** Sentences with each thing and how to delete it. */
function listOf(
  things: readonly (Belonging & { readonly isCertain?: boolean })[],
  choice: AwsOptions,
): string {
  return things.map((thing) => {
    const is = thing.isCertain === false ? "may be" : "is";
    return `There ${is} ${BELONGING_WORDS[thing.kind]} ${thing.name} ` +
      `(to delete it: ${removalByHand(thing, choice)}).`;
  }).join(" ");
}
