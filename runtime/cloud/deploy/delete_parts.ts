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

/** A part that this run has created, or might have created. */
export interface MadePart extends Part {
  /** Whether the part certainly exists. */
  isCertain: boolean;
  /** When SageMaker made it: a part with another time is another one. */
  created: Date | undefined;
}

/**
 * Requires that mlcli created the parts whose names are needed, and that no other endpoint uses them.
 *
 * @throws AwsError
 */
export async function requireUnused(
  parts: readonly ExistingPart[],
  { state: { endpoint }, sagemaker, host, request: choice }: DeployContext,
): Promise<void> {
  if (parts.length === 0) return;
  const theirs = parts.find(({ isOurs }) => !isOurs);
  if (theirs) {
    throw new AwsError("in use", `Cannot replace ${partWords(theirs)}: mlcli did not create it`, {
      hint: `Use another --endpoint-name. If nothing uses the ${theirs.kind}, delete it: ` +
        deletionByHand(theirs, choice),
    });
  }
  const usersOf = await findOtherUsers(parts, endpoint, host, sagemaker);
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
  { sagemaker, host: { messages, waiting } }: DeployContext,
): Promise<void> {
  for (const part of parts) {
    waiting.show(`Deleting ${partWords(part)}`);
    const outcome = await deleteIfSame(part, sagemaker);
    if (outcome === "deleted") messages.state(`Deleted unused ${partWords(part)}`);
    if (outcome === "another") {
      throw new AwsError("changed", `Another deployment has just replaced ${partWords(part)}`, {
        hint: "The endpoint is unchanged. Wait for the other deployment, then deploy again.",
      });
    }
  }
}

/**
 * Deletes parts that the endpoint no longer needs. Warns of a part that cannot be deleted: the endpoint
 * serves, so the deployment has succeeded.
 *
 * @throws Interrupted, after a warning that names the parts that are left.
 */
export async function deleteUnused(
  parts: readonly ExistingPart[],
  context: DeployContext,
): Promise<void> {
  if (parts.length === 0) return;
  const { state: { endpoint }, sagemaker, host } = context;
  const { messages, waiting } = host;
  const left = [...parts];
  try {
    const usersOf = await findOtherUsers(parts, endpoint, host, sagemaker);
    for (const part of parts) {
      const words = partWords(part);
      const users = usersOf(part);
      if (users.length > 0) {
        messages.note(`Kept ${words}, which is still in use by ${users.join(", ")}`);
      } else {
        waiting.show(`Deleting ${words}`);
        const outcome = await deleteIfSame(part, sagemaker);
        if (outcome === "deleted") messages.state(`Deleted the old ${words}`);
        if (outcome === "another") {
          messages.note(`Kept ${words}, because another deployment replaced it`);
        }
      }
      left.shift();
    }
  } catch (error) {
    if (!(error instanceof AwsError) && !(error instanceof Interrupted)) throw error;
    if (error instanceof AwsError) messages.warning(error.message);
    warnOfLeft(left, NEXT_DEPLOY, context);
    if (error instanceof Interrupted) throw error;
  }
}

/**
 * Deletes the parts that this run made, unless the endpoint uses them or is about to, or another
 * deployment has replaced them. Warns of parts that are left.
 *
 * @param isEndpointDeleted whether the endpoint no longer needs any part.
 * @returns whether all of them are gone.
 */
export async function deleteMade(
  made: readonly MadePart[],
  context: DeployContext,
  isEndpointDeleted = false,
): Promise<boolean> {
  // A configuration names its model: it goes first.
  const left = made.toReversed();
  let why = NEXT_DEPLOY;
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
  if (left.length > 0) warnOfLeft(left, why, context);
  return left.length === 0;
}

/** Warns of the parts that an interrupted deployment leaves. Sends no more requests. */
export function tellLeft(made: readonly MadePart[], context: DeployContext): void {
  if (made.length > 0) return warnOfLeft(made, "To continue, rerun the command", context);
  context.host.messages.warning("Interrupted: nothing was created");
}

/** Returns why to keep the created parts: the endpoint uses them, or might use them. */
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

/** Deletes a part that this run has created. Returns `false` if the part is left. */
async function deleteOne(
  part: MadePart,
  { sagemaker, host: { messages } }: DeployContext,
): Promise<boolean> {
  if (!part.isCertain || part.created === undefined) return false;
  try {
    const outcome = await deleteIfSame(part, sagemaker);
    if (outcome === "deleted") messages.state(`Deleted ${partWords(part)}, which is not needed`);
    // Messages don't mention another user's part of this name.
    return true;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    messages.warning(`Cannot delete ${partWords(part)}: ${error.message}`);
    return false;
  }
}

/**
 * Deletes a part if it is still the one that mlcli saw or created. Two commands can deploy to one endpoint at
 * once, so a part of this name might belong to the other command.
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

const NEXT_DEPLOY = "The next mlcli deploy deletes unused parts";

/** @param more sentence after the names of the parts. */
function warnOfLeft(
  parts: readonly (Part & { readonly isCertain?: boolean })[],
  more: string,
  { host: { messages }, request: choice }: DeployContext,
): void {
  const left = parts.map((part) =>
    `${part.isCertain === false ? "possibly " : ""}${partWords(part)}`
  );
  const commands = parts.map((part) => deletionByHand(part, choice)).join("; ");
  messages.warning(
    `Left over: ${left.join(" and ")}. ${more}`,
    `Delete ${parts.length === 1 ? "it" : "them"}: ${commands}`,
  );
}
