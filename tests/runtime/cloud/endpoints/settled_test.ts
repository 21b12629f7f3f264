import { assertEquals } from "@std/assert";
import type { Aws } from "../../../../runtime/aws/aws.ts";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import type { EndpointDescription } from "../../../../runtime/aws/sagemaker_endpoints.ts";
import {
  followEndpoint,
  type Outcome,
  type SettleOptions,
} from "../../../../runtime/cloud/endpoints/settled.ts";
import { fakeClock } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** `STATUS CONFIGURATION [COMING]`; `""`: not there. */
function described(state: string): EndpointDescription {
  const [status = "", configuration = "", pendingConfiguration] = state.split(" ");
  if (state === "") throw new AwsError("not found", "There is no endpoint shop");
  return {
    name: "shop",
    status,
    configuration,
    pendingConfiguration,
    creationTime: new Date(0),
    lastModifiedTime: new Date(0),
    arn: undefined,
    variants: [],
    failureReason: undefined,
    account: undefined,
  };
}

/** Follows an endpoint through its states, of which the last one stays. */
async function follow(
  states: readonly string[],
  options: SettleOptions,
): Promise<{ outcome: Outcome; asked: number; seconds: number }> {
  let asked = 0;
  const describeEndpoint = (): Promise<EndpointDescription> =>
    Promise.resolve().then(() => described(states[Math.min(asked++, states.length - 1)]!));
  const aws = { sagemaker: () => Promise.resolve({ describeEndpoint }) } as unknown as Aws;
  const clock = fakeClock();
  const never = new AbortController().signal;
  const { outcome } = await followEndpoint(
    "shop",
    aws,
    { clock, interruption: { signal: never, force: never } },
    { note() {}, progress() {} },
    options,
  );
  return { outcome, asked, seconds: clock.now() / 1000 };
}

suite("followEndpoint", () => {
  for (
    const [what, states, target, outcome] of [
      ["is what was asked for", ["Updating a b", "InService b"], "b", "in service"],
      [
        "not begun to be seen, then is",
        ["InService a", "InService a", "InService b"],
        "b",
        "in service",
      ],
      ["not begun to be seen at all", ["InService a"], "b", "rolled back"],
      ["taken back", ["Updating a b", "RollingBack a", "InService a"], "b", "rolled back"],
      [
        "taken back, by its configuration alone",
        ["Updating a b", "InService a"],
        "b",
        "rolled back",
      ],
      ["not there yet", ["", "", "Creating b", "InService b"], "b", "in service"],
      ["never there", [""], "b", "gone"],
      ["deleted meanwhile", ["Creating b", ""], "b", "gone"],
      ["failed", ["Creating b", "Failed b"], "b", "failed"],
      ["out of service", ["Updating a b", "OutOfService a"], "b", "failed"],
      ["taken back in vain", ["RollingBack a", "UpdateRollbackFailed a"], "b", "failed"],
      ["of another's update", ["Updating a b", "InService b"], undefined, "in service"],
      [
        "of another's update, taken back",
        ["Updating a b", "InService a"],
        undefined,
        "rolled back",
      ],
      [
        "seen only while it is taken back",
        ["RollingBack a", "InService a"],
        undefined,
        "rolled back",
      ],
      ["not there, and nobody began it", ["", "Creating b"], undefined, "gone"],
    ] as const
  ) {
    it(`${what}: ${outcome}`, async () => {
      const options = target === undefined ? {} : { target };
      assertEquals((await follow(states, options)).outcome, outcome);
    });
  }

  it("waits as long as it is told, and asks once more then", async () => {
    const { outcome, seconds } = await follow(["Updating a b"], { target: "b", timeout: 90 });
    assertEquals([outcome, seconds], ["not yet", 90]);
    const late = await follow(["Updating a b", "InService b"], { target: "b", timeout: 0.1 });
    assertEquals(late, { outcome: "in service", asked: 2, seconds: 0.1 });
  });
});
