import { AwsError, isRefusal, orNothing } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import { Interrupted } from "../../errors.ts";
import { findOtherUsers, inUseError } from "../endpoints/other_users.ts";
import {
  deletePart,
  deletionByHand,
  describePart,
  type Part,
  partWords,
} from "../endpoints/parts.ts";
import type { DeployContext } from "./request.ts";
import { type ExistingPart, isGoingTo } from "./state.ts";

/** A part that this run has made, or may have made. */
export interface MadePart extends Part {
  /** Whether it is there for certain. */
  isCertain: boolean;
  /** When SageMaker made it: a part with another time is another one. */
  created: Date | undefined;
}

/**
 * Requires that the parts whose names are needed are mlcli's, and that nobody else uses them.
 * @throws AwsError
 */
export async function requireUnused(
  parts: readonly ExistingPart[],
  { state: { endpoint }, sagemaker, report, choice }: DeployContext,
): Promise<void> {
  if (parts.length === 0) return;
  const theirs = parts.find(({ isOurs }) => !isOurs);
  if (theirs) {
    throw new AwsError("in use", `There is ${partWords(theirs)}: mlcli did not make it`, {
      hint: `${endpoint} needs its name. Deploy under another --endpoint-name or, once nothing ` +
        `uses it, delete it: ${deletionByHand(theirs, choice)}`,
    });
  }
  const usersOf = await findOtherUsers(parts, endpoint, sagemaker, report);
  for (const part of parts) {
    if (usersOf(part).length === 0) continue;
    throw inUseError(
      part,
      usersOf(part),
      `${endpoint} needs its name for what is new: delete the endpoints that use it first, or ` +
        "deploy under another --endpoint-name.",
    );
  }
}

/** Deletes the parts whose names are needed. @throws AwsError, Interrupted */
export async function deleteInTheWay(
  parts: readonly ExistingPart[],
  { sagemaker, report }: DeployContext,
): Promise<void> {
  for (const part of parts) {
    report.progress(`Deleting ${partWords(part)}`, 0);
    const outcome = await deleteIfSame(part, sagemaker);
    if (outcome === "deleted") report.note(`Deleted ${partWords(part)}, which nothing used`);
    if (outcome === "another") {
      throw new AwsError("changed", `Somebody else made the ${partWords(part)} a moment ago`, {
        hint: "Nothing was changed. Wait until that is done, then try again.",
      });
    }
  }
}

/**
 * Deletes what the endpoint does not need any more. The endpoint serves: so what cannot be deleted is a
 * note, and no failure.
 *
 * @throws Interrupted, after a note of what is left.
 */
export async function deleteUnused(
  parts: readonly ExistingPart[],
  { state: { endpoint }, sagemaker, report, choice }: DeployContext,
): Promise<void> {
  if (parts.length === 0) return;
  const left = [...parts];
  try {
    const usersOf = await findOtherUsers(parts, endpoint, sagemaker, report);
    for (const part of parts) {
      const words = partWords(part);
      const users = usersOf(part);
      if (users.length > 0) {
        report.note(`Kept ${words}, which ${users.join(", ")} uses`);
      } else {
        report.progress(`Deleting ${words}`, 0);
        const outcome = await deleteIfSame(part, sagemaker);
        if (outcome === "deleted") report.note(`Deleted the old ${words}`);
        if (outcome === "another") report.note(`Kept ${words}, which somebody has made anew`);
      }
      left.shift();
    }
  } catch (error) {
    if (!(error instanceof AwsError) && !(error instanceof Interrupted)) throw error;
    if (error instanceof AwsError) report.always(error.message);
    report.always(`${howToDelete(left, choice)} The next deploy deletes what nothing uses.`);
    if (error instanceof Interrupted) throw error;
  }
}

/**
 * Deletes what this run has made, unless the endpoint uses it or is about to, or somebody else has
 * replaced it. What is left is named in a note.
 *
 * @param isEndpointDeleted then the endpoint needs nothing any more.
 * @returns whether all of it is gone.
 */
export async function deleteMade(
  made: readonly MadePart[],
  context: DeployContext,
  isEndpointDeleted = false,
): Promise<boolean> {
  const { report, choice } = context;
  // A configuration names its model: it goes first.
  const left = made.toReversed();
  let why = "nothing uses it, and the next deploy deletes it";
  try {
    const use = isEndpointDeleted ? undefined : await reasonToKeep(made, context);
    if (use !== undefined) why = use;
    else {
      for (const part of made.toReversed()) {
        if (await deleteOne(part, context)) left.splice(left.indexOf(part), 1);
      }
    }
  } catch (error) {
    if (error instanceof Interrupted) tellLeft(left, context);
    throw error;
  }
  if (left.length > 0) report.always(`${howToDelete(left, choice)} It is left: ${why}.`);
  return left.length === 0;
}

/** Notes what an interruption leaves: no more requests are sent. */
export function tellLeft(
  made: readonly MadePart[],
  { report, choice }: DeployContext,
): void {
  report.always(
    made.length === 0
      ? "Interrupted: nothing was created."
      : `Interrupted. ${howToDelete(made, choice)} Nothing uses that; the same command goes on.`,
  );
}

/** Why to keep what was made: the endpoint uses it, or may. */
async function reasonToKeep(
  made: readonly MadePart[],
  { state: { endpoint }, sagemaker }: DeployContext,
): Promise<string | undefined> {
  const configuration = made.find(({ kind }) => kind === "configuration");
  if (configuration === undefined) return undefined;
  try {
    const now = await orNothing(sagemaker.describeEndpoint(endpoint));
    if (!now || !isGoingTo(now, configuration.name)) return undefined;
    return `${endpoint} uses it, or is about to`;
  } catch (error) {
    if (error instanceof AwsError) return `whether ${endpoint} uses it is not known`;
    throw error;
  }
}

/** Deletes what this run has made; `false` where it is left. */
async function deleteOne(
  part: MadePart,
  { sagemaker, report }: DeployContext,
): Promise<boolean> {
  if (!part.isCertain || part.created === undefined) return false;
  try {
    const outcome = await deleteIfSame(part, sagemaker);
    if (outcome === "deleted") report.note(`Deleted ${partWords(part)}, which was not needed`);
    // Somebody else's part of the same name is not mentioned.
    return true;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    report.always(`Not deleted: ${partWords(part)} (${error.message})`);
    return false;
  }
}

/**
 * Deletes a part if it is still the one that was seen or made. Two commands may deploy to one endpoint
 * at once: then a part of that name may now be the other command's.
 */
async function deleteIfSame(
  part: Pick<ExistingPart, "kind" | "name" | "created">,
  sagemaker: SageMaker,
): Promise<"deleted" | "not there" | "another"> {
  try {
    const now = await describePart(sagemaker, part);
    if (part.created && now.CreationTime?.getTime() !== part.created.getTime()) return "another";
    await deletePart(sagemaker, part);
    return "deleted";
  } catch (error) {
    if (isRefusal(error, "not found")) return "not there";
    throw error;
  }
}

/** `model shop-mlcli and endpoint configuration shop-config` */
export function namesOf(parts: readonly Part[]): string {
  return parts.map(partWords).join(" and ");
}

function howToDelete(
  parts: readonly (Part & { readonly isCertain?: boolean })[],
  choice: DeployContext["choice"],
): string {
  return parts.map((part) =>
    `There ${part.isCertain === false ? "may be" : "is"} ${partWords(part)} ` +
    `(to delete it: ${deletionByHand(part, choice)}).`
  ).join(" ");
}
