/**
 * Waiting until an endpoint is gone.
 *
 * @module
 */

import { AwsError, orNothing } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { EndpointDescription } from "../../aws/sagemaker_endpoints.ts";
import type { DeletionPlan, DeletionReport } from "./deletion.ts";
import { type Waiting, waitUntil } from "../waiting.ts";

/**
 * Waits until the endpoint that the plan describes is gone. (The SDK's own waiter takes any
 * ValidationException as a sign of that.) A newer endpoint of the same name does not count.
 *
 * @throws AwsError when the service could not delete it, or when the time is over.
 */
export async function waitUntilGone(
  sagemaker: SageMaker,
  { endpoint, description }: Pick<DeletionPlan, "endpoint" | "description">,
  report: Pick<DeletionReport, "progress">,
  waiting: Waiting,
): Promise<void> {
  let wasDeleting = false;
  await waitUntil<EndpointDescription | undefined>({
    ask: () => orNothing(sagemaker.describeEndpoint(endpoint)),
    isOver(current) {
      if (!current || isSuccessor(current, description)) return true;
      // Right after the request an endpoint may still show the status that it had before.
      if (wasDeleting && current.status === "Failed") throw couldNotDelete(current);
      wasDeleting ||= current.status === "Deleting";
      return false;
    },
    onWait: (latest) => report.progress(`Waiting until ${endpoint} is gone: ${stateOf(latest)}`),
    tooLong: (latest) =>
      latest instanceof AwsError
        ? notKnown(endpoint, latest, waiting.timeout)
        : stillThere(endpoint, stateOf(latest), waiting.timeout),
  }, waiting);
}

function stateOf(latest: EndpointDescription | AwsError | undefined): string {
  return latest instanceof AwsError ? latest.message : latest?.status ?? "";
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

function stillThere(name: string, status: string, timeout: number): AwsError {
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
