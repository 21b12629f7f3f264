/**
 * Waiting until an endpoint is gone.
 *
 * @module
 */

import { AwsError, orNothing } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { EndpointDescription } from "../../aws/sagemaker_endpoints.ts";
import type { DeletionPlan, DeletionReport } from "./deletion.ts";
import { Waiter, type WaiterHost } from "../waiter.ts";

/**
 * Waits until the endpoint that the plan describes is gone. (The SDK's own waiter takes any
 * ValidationException as a sign of that.) A newer endpoint of the same name does not count.
 *
 * @param timeout seconds.
 * @throws AwsError when the service could not delete it, or when the time is over.
 */
export async function waitUntilGone(
  sagemaker: SageMaker,
  { endpoint, description }: Pick<DeletionPlan, "endpoint" | "description">,
  report: Pick<DeletionReport, "progress">,
  host: WaiterHost,
  timeout: number,
): Promise<void> {
  // The progress says why nobody answers.
  const waiter = new Waiter(host, { what: "deletion", note: () => {}, timeout });
  let current: EndpointDescription | undefined;
  let wasDeleting = false;
  for (;;) {
    const asked = await waiter.ask(
      "endpoint",
      () => orNothing(sagemaker.describeEndpoint(endpoint)),
    );
    if (asked) {
      current = asked.answer;
      if (!current || isSuccessor(current, description)) return;
      // Right after the request an endpoint may still show the status that it had before.
      if (wasDeleting && current.status === "Failed") throw couldNotDelete(current);
      wasDeleting ||= current.status === "Deleting";
    }
    const { failure } = waiter;
    if (waiter.isOver) {
      throw failure
        ? notKnown(endpoint, failure, timeout)
        : stillThere(endpoint, current!.status, timeout);
    }
    report.progress(`Waiting until ${endpoint} is gone: ${failure?.message ?? current!.status}`);
    await waiter.pause();
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
