import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import {
  followEndpoint,
  type FollowOptions,
} from "../../../../runtime/cloud/endpoints/follow_endpoint.ts";
import type { Waiting } from "../../../../runtime/messages.ts";
import { Refused } from "../../../helpers/box/service.ts";
import { endpointNamed, type EndpointState, withStates } from "../../../helpers/endpoint_states.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { typed } from "../../../helpers/settings.ts";
import { it, suite } from "../../../helpers/suite.ts";

const OLD = "shop-config";
const NEW = "shop-config-2";
/** The endpoint in a status. */
function is(
  status: string,
  configuration = OLD,
  pendingConfiguration: string | undefined = undefined,
): EndpointState {
  return endpointNamed("shop", { status, configuration, pendingConfiguration });
}
const FAILED = new Refused("InternalFailure", "Out of order", 500);
const DENIED = new Refused("AccessDeniedException", "No permission");

async function follow(states: readonly EndpointState[], options: FollowOptions = {}) {
  const context = fakeContext();
  const waiting: Waiting = { show: () => {}, during: (_, work) => work };
  const { outcome, description } = await withStates(
    states,
    (aws) => followEndpoint("shop", aws, { ...context, waiting }, options),
  );
  return { outcome, description, messages: context.err.text, seconds: context.clock.now() / 1000 };
}

/** The states it goes through, the configuration that it is to have, how it has settled. */
const ROWS: readonly (readonly [
  name: string,
  states: readonly EndpointState[],
  target: string | undefined,
  outcome: string,
])[] = [
  ["created", [is("Creating"), is("InService")], OLD, "in service"],
  [
    "created, and not found at first",
    [undefined, undefined, is("Creating"), is("InService")],
    OLD,
    "in service",
  ],
  ["never found", [undefined], OLD, "gone"],
  ["updated", [is("Updating"), is("InService", NEW)], NEW, "in service"],
  [
    "updated, which is not seen at first",
    [is("InService"), is("Updating"), is("InService", NEW)],
    NEW,
    "in service",
  ],
  ["taken back", [is("Updating"), is("RollingBack"), is("InService")], NEW, "rolled back"],
  ["taken back without a word", [is("Updating"), is("InService")], NEW, "rolled back"],
  ["never updated", [is("InService")], NEW, "rolled back"],
  [
    "updated, by what is coming",
    [is("Updating", OLD, NEW), is("InService", NEW)],
    undefined,
    "in service",
  ],
  [
    "taken back, by what was coming",
    [is("Updating", OLD, NEW), is("InService")],
    undefined,
    "rolled back",
  ],
  [
    "taken back, of which only that was seen",
    [is("RollingBack"), is("InService")],
    undefined,
    "rolled back",
  ],
  ["patched", [is("SystemUpdating"), is("InService")], undefined, "in service"],
  ["in a status that nobody knows", [is("Whatever"), is("InService")], undefined, "in service"],
  ["failed", [is("Creating"), is("Failed")], OLD, "failed"],
  ["not even taken back", [is("RollingBack"), is("UpdateRollbackFailed")], NEW, "failed"],
  ["out of service", [is("OutOfService")], undefined, "failed"],
  ["deleted meanwhile", [is("Updating"), is("Deleting"), undefined], NEW, "gone"],
  ["gone before anybody asked", [undefined], undefined, "gone"],
  [
    "asked where nobody answers for a while",
    [is("Creating"), FAILED, FAILED, is("InService")],
    OLD,
    "in service",
  ],
];

suite("followEndpoint", () => {
  for (const [name, states, target, outcome] of ROWS) {
    it(`knows one that is ${name}`, async () => {
      assertEquals((await follow(states, { ...target && { target } })).outcome, outcome);
    });
  }

  it("followEndpoint prints each status once, and returns the last description", async () => {
    const states = [is("Creating"), is("Creating"), is("InService", NEW)];
    const { messages, description } = await follow(states);
    assertEquals(messages, "Creating\nInService\n");
    assertEquals(description?.configuration, NEW);
  });

  it("ends when the time is over, not later", async () => {
    const { outcome, seconds, description } = await follow([is("Updating")], { timeout: 45 });
    assertEquals([outcome, seconds, description?.status], ["not yet", 45, "Updating"]);
    const atLast = await follow([is("Updating"), is("InService", NEW)], {
      target: NEW,
      timeout: 0.1,
    });
    assertEquals([atLast.outcome, atLast.seconds], ["in service", 0.1]);
  });

  it("does not wait for a permission, and says how to go on", async () => {
    const region = typed("eu-west-1", "--region");
    const choice = { region, profile: undefined, iamRoleArn: undefined };
    const error = await assertRejects(() => follow([DENIED], { choice }), AwsError);
    assertEquals([error.refusal, error.quote], ["denied", "No permission"]);
    assertStringIncludes(error.hint!, "SageMaker continues a change that has started.");
    assertStringIncludes(error.hint!, "mlcli wait shop --region eu-west-1.");
  });
});
