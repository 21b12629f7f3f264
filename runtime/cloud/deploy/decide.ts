/**
 * What to do about an endpoint, by what DescribeEndpoint says of it: as a pure function.
 *
 * @module
 */

import { AwsError } from "../../aws/errors.ts";
import { MlcliError } from "../../errors.ts";
import type { EndpointCommand } from "./commands.ts";
import type { DeployRequest } from "./request.ts";
import { isServerless } from "./plan.ts";
import { isChanging, type State } from "./state.ts";

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
  command: EndpointCommand,
): Action {
  if (description === undefined) return "create";
  if (!isChanging(description)) return changes.length === 0 ? "nothing" : "update";
  if (changes.length === 0) return "follow";
  const coming = base?.configuration ? `: it is to have other ${listed(changes)}` : "";
  throw isBusy(endpoint, `${description.status}${coming}`, command);
}

/**
 * Requires that something can be asked of the endpoint, or may be under way that is what is asked for.
 *
 * @throws AwsError where nothing can: it has failed, is going away or changes by itself.
 */
export function requireReady({ endpoint, description }: State, command: EndpointCommand): void {
  if (!description) return;
  const { status, failureReason } = description;
  if (status === "Failed") throw hasFailed(endpoint, failureReason, command);
  const isComing = status === "Creating" ||
    status === "Updating" && description.pendingConfiguration !== undefined;
  if (isChanging(description) && !isComing) throw isBusy(endpoint, status, command);
}

/**
 * Requires that the platform does not refuse it, after it had made half of it.
 *
 * @throws MlcliError for what an endpoint of its kind cannot become.
 */
export function requirePossible(request: DeployRequest, state: State): void {
  const { endpoint, base, description } = state;
  if (description === undefined || base === undefined) return;
  const { instanceType, memorySize, maxConcurrency, instanceCount, typed } = request;
  const serverless = isServerless(state);
  if (base.configuration === undefined && instanceType === undefined && memorySize === undefined) {
    throw new MlcliError(
      `The configuration of endpoint ${endpoint} is not there any more: ${base.name}`,
      {
        hint: "What it runs on is not known: name it with --ec2-type, and --instance-count. " +
          "Nothing was changed.",
      },
    );
  }
  if (base.configuration && !serverless && memorySize !== undefined) {
    throw new MlcliError(`Endpoint ${endpoint} has instances: the platform makes none serverless`, {
      hint: "Nothing was changed. Deploy under another --endpoint-name, then delete this one; or " +
        "leave out --memory-size-in-mb.",
    });
  }
  if (serverless && instanceType === undefined && instanceCount !== undefined) {
    if (typed.has("--instance-count")) {
      throw new MlcliError(`Endpoint ${endpoint} is serverless: it has no instances to count`, {
        hint: "Nothing was changed. --max-concurrency says how many requests it answers at once; " +
          "with --ec2-type it gets instances.",
      });
    }
  }
  if (!serverless && memorySize === undefined && typed.has("--max-concurrency")) {
    if (maxConcurrency !== undefined) {
      throw new MlcliError(`Endpoint ${endpoint} is not serverless: --max-concurrency is`, {
        hint: "Nothing was changed. --instance-count says how many machines it has.",
      });
    }
  }
  if (serverless && instanceType === undefined) requireServerless(endpoint, request);
}

/** What serverless endpoints do not have: developer guide, "Serverless Inference", exclusions. */
function requireServerless(endpoint: string, request: DeployRequest): void {
  const given: readonly (readonly [string, boolean])[] = [
    ["--canary", request.canary !== undefined],
    ["--data-capture", request.dataCapture !== undefined],
    ["--subnet", request.subnets.length > 0],
    ["--health-check-timeout", request.healthCheckTimeout !== undefined],
  ];
  const flag = given.find(([, isGiven]) => isGiven)?.[0];
  if (flag === undefined) return;
  throw new MlcliError(`Endpoint ${endpoint} is serverless: it has no ${flag}`, {
    hint: `Nothing was changed. Leave out ${flag}, or give it instances with --ec2-type.`,
  });
}

function isBusy(endpoint: string, status: string, command: EndpointCommand): AwsError {
  const isGoing = status === "Deleting";
  return new AwsError("in progress", `Endpoint ${endpoint} is being changed (${status})`, {
    hint: `Nothing was changed. Wait until it has ended: ${command("wait")}; then ` +
      `${isGoing ? "the same command makes a new one" : "deploy again"}.`,
  });
}

function hasFailed(
  endpoint: string,
  reason: string | undefined,
  command: EndpointCommand,
): AwsError {
  return new AwsError("failed", `Endpoint ${endpoint} has failed: all it can be is deleted`, {
    quote: reason,
    hint: `Nothing was changed. ${command("delete-endpoint")}; then deploy again.`,
  });
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
