import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { WaitingProgress } from "../../../../commands/render/progress/waiting.ts";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import { waitUntilGone } from "../../../../runtime/cloud/endpoints/delete_endpoint.ts";
import { Refused } from "../../../helpers/box/service.ts";
import { endpointNamed, type EndpointState, withStates } from "../../../helpers/endpoint_states.ts";
import { fakeClock, fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

const BEFORE = endpointNamed("churn");
const DELETING = endpointNamed("churn", { status: "Deleting" });

/** Waits; returns the pauses in ms. */
async function pausesFor(
  states: readonly EndpointState[],
  timeout = 1800,
): Promise<readonly number[]> {
  const clock = fakeClock();
  const { signal } = new AbortController();
  const { messages } = fakeContext();
  const waiting = new WaitingProgress({ messages, clock });
  const host = { clock, interruption: { signal, force: signal }, messages, waiting };
  const plan = { endpoint: "churn", description: BEFORE };
  await withStates(
    states,
    async (aws) => await waitUntilGone(await aws.sagemaker(), plan, host, timeout),
  );
  return clock.pauses;
}

suite("waitUntilGone", () => {
  it("does not wait for what is gone", async () => {
    assertEquals(await pausesFor([undefined]), []);
  });

  it("takes a new endpoint of the same name for another one", async () => {
    const successor = endpointNamed("churn", {
      status: "Creating",
      creationTime: new Date("2026-03-01T09:00:00Z"),
    });
    assertEquals(await pausesFor([DELETING, successor]), [250]);
  });

  it("is not misled by the status from before the deletion", async () => {
    const failed = endpointNamed("churn", { status: "Failed" });
    assertEquals(await pausesFor([failed, DELETING, undefined]), [250, 500]);
  });

  it("says that SageMaker could not delete it, and why", async () => {
    const failed = endpointNamed("churn", { status: "Failed", failureReason: "Out of luck" });
    const error = await assertRejects(() => pausesFor([DELETING, failed]), AwsError);
    assertEquals([error.message, error.quote], [
      "SageMaker could not delete endpoint churn",
      "Out of luck",
    ]);
  });

  it("ends when the time is over, not later", async () => {
    const error = await assertRejects(() => pausesFor([DELETING], 20), AwsError);
    assertEquals(error.message, "Endpoint churn still exists after 20 s (Deleting)");
  });

  for (
    const [title, failure, words] of [
      [
        "has failed",
        new Refused("InternalFailure", "?", 500),
        "sagemaker:DescribeEndpoint failed: ",
      ],
      [
        "is throttling",
        new Refused("ThrottlingException", "?"),
        "sagemaker:DescribeEndpoint was throttled",
      ],
      ["cannot be reached", "unreachable", "Cannot reach AWS at 127.0.0.1:"],
    ] as const
  ) {
    it(`asks again when SageMaker ${title}, until the time is over`, async () => {
      assertEquals(await pausesFor([DELETING, failure, failure, undefined]), [250, 500, 1000]);
      const error = await assertRejects(() => pausesFor([DELETING, failure], 20), AwsError);
      assertStringIncludes(
        error.message,
        `Cannot tell after 20 s whether endpoint churn is deleted: ${words}`,
      );
      assertStringIncludes(error.hint!, "The deletion continues.");
    });
  }
});
