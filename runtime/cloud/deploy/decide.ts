/**
 * What to do about an endpoint, by what DescribeEndpoint says of it: as a pure function.
 *
 * @module
 */

import { basename } from "@std/path/basename";
import { AwsError } from "../../aws/errors.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import { enumerated, inOneLine, printable } from "../../text.ts";
import { deletionOf } from "../endpoints/parts.ts";
import { commandFor } from "../jobs/commands.ts";
import { requireGiven } from "../start/checks.ts";
import { asksForServerless, requireServerless } from "./checks.ts";
import { roleOf } from "./plan.ts";
import type { DeployRequest } from "./request.ts";
import { isChanging, type State } from "./state.ts";
import { isServerless } from "./variant.ts";

/** What is done. */
export type Action =
  /** Makes the endpoint. */
  | "create"
  /** Has it serve something else. */
  | "update"
  /** Waits for what somebody has begun: it is what is asked for. */
  | "follow"
  /** It serves what is asked for. */
  | "nothing";

/**
 * What to do once it is known what would change.
 *
 * @param changes of what it has or is going to have: `changesOf`.
 * @throws AwsError where it is being changed into something else.
 */
export function actionFor(
  { endpoint, description, base }: State,
  changes: readonly string[],
  choice: AwsOptions,
): Action {
  if (description === undefined) return "create";
  if (!isChanging(description)) {
    // In another status it may have all of that, and not serve it.
    return changes.length === 0 && description.status === "InService" ? "nothing" : "update";
  }
  if (changes.length === 0) return "follow";
  const coming = base?.configuration
    ? `${description.status}, to what differs in ${enumerated(changes)}`
    : description.status;
  throw isBusy(endpoint, coming, choice);
}

/**
 * Requires that something can be asked of the endpoint, or may be under way that is what is asked for.
 *
 * @throws AwsError where nothing can: it has failed, is going away or changes by itself.
 */
export function requireReady({ endpoint, description }: State, choice: AwsOptions): void {
  if (!description) return;
  const { status, failureReason } = description;
  if (status === "Failed") throw hasFailed(endpoint, failureReason, choice);
  const isComing = status === "Creating" ||
    status === "Updating" && description.pendingConfiguration !== undefined;
  if (isChanging(description) && !isComing) throw isBusy(endpoint, status, choice);
}

/**
 * Requires that nothing is deleted that an endpoint may serve with: where its roll-back has failed, some
 * of its instances have another configuration than the one that it names (API reference,
 * EndpointStatus).
 *
 * @param inTheWay what would be deleted first.
 */
export function requireUnmixed(
  { endpoint, description }: State,
  inTheWay: readonly { readonly name: string }[],
): void {
  const [thing] = inTheWay;
  if (description?.status !== "UpdateRollbackFailed" || thing === undefined) return;
  throw new MlcliError(
    `Endpoint ${endpoint} could not be rolled back: it may serve with ${thing.name}, too`,
    { hint: `${UNCHANGED} Deploy under another --endpoint-name, and delete this one then.` },
  );
}

/**
 * Requires that the platform would not refuse it when half of it is made.
 *
 * @throws UsageError for what a new endpoint, or one of its kind, has to be told or cannot be;
 * MlcliError for what an endpoint cannot become.
 */
export function requirePossible(request: DeployRequest, state: State): void {
  const { endpoint, base, description } = state;
  const { instanceType, memorySize, instanceCount } = request;
  const isOpen = instanceType === undefined && memorySize === undefined;
  if (description === undefined) {
    if (isOpen) throw needsHosting(endpoint, request);
  } else if ((base?.configuration?.ProductionVariants ?? []).length === 0) {
    if (isOpen) throw hasNoConfiguration(endpoint, base);
  } else if (isServerless(state)) {
    if (isOpen && instanceCount !== undefined) {
      throw new MlcliError(`Endpoint ${endpoint} is serverless: it has no instances to count`, {
        hint: `${UNCHANGED} --max-concurrency says how many requests it answers at once; with ` +
          "--ec2-type it gets instances, for good.",
      });
    }
  } else if (asksForServerless(request)) {
    throw new MlcliError(`Endpoint ${endpoint} has instances: SageMaker makes none serverless`, {
      hint: `${UNCHANGED} Deploy under another --endpoint-name, and delete this one then.`,
    });
  }
  if (memorySize !== undefined || (isServerless(state) && instanceType === undefined)) {
    requireServerless(request);
  }
  if (roleOf(request, state) === undefined) {
    requireGiven("deploy", request.app, [["--execution-role", undefined]]);
  }
}

const UNCHANGED = "Nothing was changed.";

function needsHosting(endpoint: string, { app }: DeployRequest): UsageError {
  return new UsageError(`Endpoint ${endpoint} is new, and nothing says what it is to run on.`, {
    hint: "Give --ec2-type TYPE, or --memory-size-in-mb MB for a serverless one, or its key in " +
      `"deploy" of ${basename(app.configurationPath)}. mlcli local deploy runs it here.`,
  });
}

function hasNoConfiguration(endpoint: string, base: State["base"]): MlcliError {
  const what = base?.configuration ? "names no variant" : "is deleted";
  const name = inOneLine(base?.name ?? "");
  return new MlcliError(`The configuration of endpoint ${endpoint} ${what}: ${name}`, {
    hint: `${UNCHANGED} What it runs on is not known: name it with --ec2-type and ` +
      "--instance-count.",
  });
}

function isBusy(endpoint: string, what: string, choice: AwsOptions): AwsError {
  const wait = commandFor(endpoint, choice)("wait");
  return new AwsError("in progress", `Endpoint ${endpoint} is being changed: ${what}`, {
    hint: `${UNCHANGED} Wait until that has ended, then deploy again: ${wait}`,
  });
}

function hasFailed(endpoint: string, reason: string | undefined, choice: AwsOptions): AwsError {
  return new AwsError("failed", `Endpoint ${endpoint} has failed: it can only be deleted`, {
    quote: reason && printable(reason),
    hint: `${UNCHANGED} Delete it, then deploy again: ${deletionOf(endpoint, choice)} --wait`,
  });
}
