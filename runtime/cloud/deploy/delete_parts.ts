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
import type { AwsOptions } from "../../aws/settings.ts";
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
  { state: { endpoint }, sagemaker, report, request: choice }: DeployContext,
): Promise<void> {
  if (parts.length === 0) return;
  const theirs = parts.find(({ isOurs }) => !isOurs);
  if (theirs) {
    throw new AwsError("in use", `Cannot replace ${partWords(theirs)}: mlcli did not create it`, {
      hint: `Use another --endpoint-name. If nothing uses the ${theirs.kind}, delete it: ` +
        deletionByHand(theirs, choice),
    });
  }
  const usersOf = await findOtherUsers(parts, endpoint, sagemaker, report);
  for (const part of parts) {
    if (usersOf(part).length === 0) continue;
    throw inUseError(
      part,
      usersOf(part),
      `The new version of ${endpoint} needs this name. Delete the endpoints that use it, or ` +
        "use another --endpoint-name.",
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
    if (outcome === "deleted") report.note(`Deleted unused ${partWords(part)}`);
    if (outcome === "another") {
      throw new AwsError("changed", `Another deployment has just replaced ${partWords(part)}`, {
        hint: "The endpoint is unchanged. Wait for the other deployment, then deploy again.",
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
  { state: { endpoint }, sagemaker, report, request: choice }: DeployContext,
): Promise<void> {
  if (parts.length === 0) return;
  const left = [...parts];
  try {
    const usersOf = await findOtherUsers(parts, endpoint, sagemaker, report);
    for (const part of parts) {
      const words = partWords(part);
      const users = usersOf(part);
      if (users.length > 0) {
        report.note(`Kept ${words}, which is still in use by ${users.join(", ")}`);
      } else {
        report.progress(`Deleting ${words}`, 0);
        const outcome = await deleteIfSame(part, sagemaker);
        if (outcome === "deleted") report.note(`Deleted the old ${words}`);
        if (outcome === "another") report.note(`Kept ${words}, which has been replaced`);
      }
      left.shift();
    }
  } catch (error) {
    if (!(error instanceof AwsError) && !(error instanceof Interrupted)) throw error;
    if (error instanceof AwsError) report.always(error.message);
    report.always(`${howToDelete(left, choice)} The next mlcli deploy deletes unused parts.`);
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
  const { report, request: choice } = context;
  // A configuration names its model: it goes first.
  const left = made.toReversed();
  let why = "The next mlcli deploy deletes unused parts";
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
  if (left.length > 0) report.always(`${howToDelete(left, choice)} ${why}.`);
  return left.length === 0;
}

/** Notes what an interruption leaves: no more requests are sent. */
export function tellLeft(
  made: readonly MadePart[],
  { report, request: choice }: DeployContext,
): void {
  report.always(
    made.length === 0
      ? "Interrupted: nothing was created"
      : `Interrupted. ${howToDelete(made, choice)} To continue, rerun the command.`,
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
    return `Endpoint ${endpoint} uses ${configuration.name} or is about to use it`;
  } catch (error) {
    if (error instanceof AwsError) return `mlcli cannot tell whether ${endpoint} uses them`;
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
    if (outcome === "deleted") report.note(`Deleted ${partWords(part)}, which is not needed`);
    // Somebody else's part of the same name is not mentioned.
    return true;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    report.always(`Cannot delete ${partWords(part)}: ${error.message}`);
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
  choice: AwsOptions,
): string {
  return parts.map((part) =>
    `${part.isCertain === false ? "Possibly left over" : "Left over"}: ${partWords(part)} ` +
    `(to delete it: ${deletionByHand(part, choice)}).`
  ).join(" ");
}
