/**
 * Deleting what nothing needs any more: what was made in vain, and what served before. Nothing is
 * deleted that an endpoint has or is about to have; what is left is named, with how to delete it.
 *
 * @module
 */

import { AwsError, isRefusal, orNothing } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { Interrupted } from "../../errors.ts";
import { deletionByHand, type Part, PART_WORDS } from "../endpoints/parts.ts";
import { findOtherUsers, inUseError } from "../endpoints/other_users.ts";
import type { JobReport } from "../jobs/report.ts";
import { isGoingTo, type Made } from "./making.ts";
import type { Thing } from "./state.ts";

/** What deleting needs. */
export interface Removing {
  readonly sagemaker: SageMaker;
  readonly report: Pick<JobReport, "note" | "progress">;
  /** The options of the command, for command lines to paste. */
  readonly choice: AwsOptions;
}

/**
 * Requires that what is in the way of what is to be made is mlcli's, and that nobody else uses it.
 *
 * @throws AwsError
 */
export async function requireUnused(
  things: readonly Thing[],
  endpoint: string,
  { sagemaker, report, choice }: Removing,
): Promise<void> {
  if (things.length === 0) return;
  const theirs = things.find(({ isOurs }) => !isOurs);
  if (theirs) {
    const { kind, name } = theirs;
    throw new AwsError(
      "in use",
      `There is ${PART_WORDS[kind]} ${name}: mlcli did not make it`,
      {
        hint: `${endpoint} needs its name. Deploy under another --endpoint-name or, once nothing ` +
          `uses it, delete it: ${deletionByHand(theirs, choice)}`,
      },
    );
  }
  const usersOf = await findOtherUsers(things, endpoint, sagemaker, report);
  for (const thing of things) {
    const names = usersOf(thing);
    if (names.length === 0) continue;
    throw inUseError(
      thing,
      names,
      `${endpoint} needs its name for what is new: delete the endpoints that use it first, or ` +
        "deploy under another --endpoint-name.",
    );
  }
}

/** Deletes what is in the way. @throws AwsError, Interrupted */
export async function deleteInTheWay(
  things: readonly Thing[],
  { sagemaker, report }: Removing,
): Promise<void> {
  for (const thing of things) {
    const words = `${PART_WORDS[thing.kind]} ${thing.name}`;
    report.progress(`Deleting ${words}`, 0);
    const done = await deleteThing(thing, sagemaker);
    if (done === "deleted") report.note(`Deleted ${words}, which nothing used`);
    if (done === "another") {
      throw new AwsError("changed", `Somebody else made the ${words} a moment ago`, {
        hint: "Nothing was changed. Wait until that is done, then try again.",
      });
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
  things: readonly Thing[],
  endpoint: string,
  { sagemaker, report, choice }: Removing,
): Promise<void> {
  if (things.length === 0) return;
  const left = [...things];
  try {
    const usersOf = await findOtherUsers(things, endpoint, sagemaker, report);
    for (const thing of things) {
      const names = usersOf(thing);
      const words = `${PART_WORDS[thing.kind]} ${thing.name}`;
      if (names.length > 0) {
        report.note(`Kept ${words}, which ${names.join(", ")} uses`);
      } else {
        report.progress(`Deleting ${words}`, 0);
        const done = await deleteThing(thing, sagemaker);
        if (done === "deleted") report.note(`Deleted ${words}`);
        if (done === "another") report.note(`Kept ${words}, which somebody has made anew`);
      }
      left.shift();
    }
  } catch (error) {
    if (!(error instanceof AwsError) && !(error instanceof Interrupted)) throw error;
    if (error instanceof AwsError) report.note(error.message);
    tellUnused(left, { report, choice });
    if (error instanceof Interrupted) throw error;
  }
}

/** Names what an endpoint needs no more. */
export function tellUnused(
  things: readonly Part[],
  { report, choice }: Pick<Removing, "report" | "choice">,
): void {
  if (things.length === 0) return;
  report.note(`${listOf(things, choice)} The next deploy deletes what nothing uses.`);
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
    const now = await orNothing(sagemaker.describeEndpoint(endpoint));
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
  const words = `${PART_WORDS[kind]} ${name}`;
  try {
    const done = await deleteThing({ kind, name, created }, sagemaker);
    if (done === "deleted") report.note(`Deleted ${words}, made in vain`);
    // Somebody else's of the same name is not ours to name, either.
    return true;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    report.note(`Not deleted: ${words} (${error.message})`);
    return false;
  }
}

/**
 * Deletes it, if it is still what it was. Two commands may deploy to one endpoint at once: then what
 * has this name now may be what the other is about to have served.
 */
async function deleteThing(
  { kind, name, created }: Pick<Thing, "kind" | "name" | "created">,
  sagemaker: SageMaker,
): Promise<"deleted" | "not there" | "another"> {
  try {
    const now = kind === "model"
      ? await sagemaker.describeModel(name)
      : await sagemaker.describeEndpointConfiguration(name);
    if (created && now.CreationTime?.getTime() !== created.getTime()) return "another";
    await (kind === "model"
      ? sagemaker.deleteModel(name)
      : sagemaker.deleteEndpointConfiguration(name));
    return "deleted";
  } catch (error) {
    if (isRefusal(error, "not found")) return "not there";
    throw error;
  }
}

/** `model shop-mlcli and endpoint configuration shop-config` */
export function namesOf(things: readonly Part[]): string {
  return things.map(({ kind, name }) => `${PART_WORDS[kind]} ${name}`).join(" and ");
}

/** Sentences with each thing and how to delete it. */
function listOf(
  things: readonly (Part & { readonly isCertain?: boolean })[],
  choice: AwsOptions,
): string {
  return things.map((thing) => {
    const is = thing.isCertain === false ? "may be" : "is";
    return `There ${is} ${PART_WORDS[thing.kind]} ${thing.name} ` +
      `(to delete it: ${deletionByHand(thing, choice)}).`;
  }).join(" ");
}
