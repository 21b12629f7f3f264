/**
 * Waiting until an endpoint is gone.
 *
 * @module
 */

import { pause } from "../time.ts";
import { AwsError, type Refusal } from "../aws/errors.ts";
import type { DeletionPlan, DeletionReport } from "./deletion.ts";
import type { EndpointDescription, SageMaker } from "../aws/sagemaker.ts";

/** How long to wait, and how. */
export interface Waiting {
  /** Seconds until the wait is given up. */
  readonly timeout: number;
  /** Waits for some milliseconds; rejects when the user does not want to wait any longer. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Milliseconds on a clock that only goes forward. */
  readonly now: () => number;
}

/**
 * A wait on the real clock.
 * @param timeout seconds.
 * @param signal ends a pause; its reason is thrown.
 */
export function waiting(timeout: number, signal: AbortSignal): Waiting {
  return {
    timeout,
    pause: (milliseconds) => pause(milliseconds, signal),
    now: () => performance.now(),
  };
}

/** Small endpoints (and emulators) are quick, several instances take 5 to 10 minutes. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;

/**
 * Waits until the endpoint that the plan describes is gone. (The SDK's own waiter takes any
 * ValidationException for that.) One of the same name that was created since is another one.
 * A platform that does not answer for a while is asked again.
 *
 * @throws AwsError when the service could not delete it, or when the time is over.
 */
export async function waitUntilGone(
  sagemaker: SageMaker,
  { endpoint, description }: DeletionPlan,
  report: DeletionReport,
  { timeout, pause, now }: Waiting,
): Promise<void> {
  const end = now() + timeout * 1000;
  let wasDeleting = false;
  for (let next = FIRST_PAUSE;; next = Math.min(2 * next, LONGEST_PAUSE)) {
    const current = await describeIfThere(sagemaker, endpoint);
    if (!current) return;
    const left = end - now();
    if (current instanceof AwsError) {
      if (left <= 0) throw notKnown(endpoint, current, timeout);
      report.progress(`Waiting until ${endpoint} is gone: ${current.message}`);
    } else {
      if (isSuccessor(current, description)) return;
      // Right after the request an endpoint may still show the status that it had before.
      if (wasDeleting && current.status === "Failed") throw couldNotDelete(current);
      wasDeleting ||= current.status === "Deleting";
      if (left <= 0) throw stillThere(current, timeout);
      report.progress(`Waiting until ${endpoint} is gone: ${current.status}`);
    }
    await pause(Math.min(next, left));
  }
}

/** These say nothing about the endpoint, and pass. */
const PASSING: ReadonlySet<Refusal> = new Set(["failed", "throttled", "unreachable"]);

/** The endpoint, `undefined` when it is gone, or why that is not known at the moment. */
async function describeIfThere(
  sagemaker: SageMaker,
  endpoint: string,
): Promise<EndpointDescription | AwsError | undefined> {
  try {
    return await sagemaker.describeEndpoint(endpoint);
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    if (error.refusal === "not found") return undefined;
    if (PASSING.has(error.refusal)) return error;
    throw error;
  }
}

function isSuccessor(current: EndpointDescription, before?: EndpointDescription): boolean {
  return before !== undefined && current.creationTime > before.creationTime;
}

function couldNotDelete({ name, failureReason }: EndpointDescription): AwsError {
  return new AwsError("failed", `The platform could not delete endpoint ${name}`, {
    hint: `Try again: mlcli delete-endpoint --endpoint-name ${name}`,
    quote: failureReason,
  });
}

const DELETION_GOES_ON = "The deletion goes on. mlcli list-endpoints shows when it is done; " +
  "--timeout lets --wait wait longer.";

function stillThere({ name, status }: EndpointDescription, timeout: number): AwsError {
  return new AwsError("other", `Still there after ${timeout} s: ${name} (${status})`, {
    hint: DELETION_GOES_ON,
  });
}

function notKnown(name: string, failure: AwsError, timeout: number): AwsError {
  return new AwsError(
    failure.refusal,
    `Not known after ${timeout} s whether ${name} is gone: ${failure.message}`,
    { hint: DELETION_GOES_ON, quote: failure.quote, cause: failure.cause },
  );
}
