import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import {
  deletePlannedEndpoint,
  deletePlannedParts,
  waitUntilGone,
} from "../../../../runtime/cloud/endpoints/delete_endpoint.ts";
import type { DeletionPlan, PlannedPart } from "../../../../runtime/cloud/endpoints/delete_plan.ts";
import { Interrupted } from "../../../../runtime/errors.ts";
import { fakeClock } from "../../../helpers/fake_context.ts";
import {
  endpointNamed,
  type EndpointState,
  memorySageMaker,
} from "../../../helpers/memory_sagemaker.ts";
import { it, suite } from "../../../helpers/suite.ts";

const CHURN = endpointNamed("churn");
const CAUSE = new Error("HTTP 400");
const DETAILS = { hint: "Add it.", quote: "User: jo", cause: CAUSE };
const DENIED = new AwsError("denied", "No permission", DETAILS);
const FAILED = new AwsError("failed", "Out of order");
const GONE = new AwsError("not found", "ResourceNotFound: it");
const STOPPED = new Interrupted("SIGINT");
const NOWHERE = { region: undefined, profile: undefined, iamRoleArn: undefined };
const UPDATING = "Wait until mlcli list-endpoints shows InService or Failed, then delete it.";

const CONFIGURATION: PlannedPart = { kind: "configuration", name: "churn-config", isThere: true };
const SECOND: PlannedPart = { kind: "configuration", name: "churn-config-2", isThere: true };
const MODEL: PlannedPart = { kind: "model", name: "churn-mlcli", isThere: true };
const USED: PlannedPart = { kind: "configuration", name: "used", isThere: true };
const PLAN: DeletionPlan = {
  endpoint: "churn",
  description: CHURN,
  parts: [CONFIGURATION],
  kept: [],
};
const DELETING_PLAN = { ...PLAN, description: endpointNamed("churn", { status: "Deleting" }) };
const UNKNOWN = { ...PLAN, description: undefined };
const ALONE_PLAN = { ...PLAN, parts: [] };
const ALL = { ...PLAN, parts: [CONFIGURATION, SECOND, MODEL] };

/** A deletion: what the platform says, what it was asked for, what is noted, what is thrown. */
interface Deletion {
  readonly name: string;
  readonly plan?: DeletionPlan;
  /** At what, where not at the first that is deleted. */
  readonly at?: string;
  readonly failure?: Error;
  readonly asked?: readonly string[];
  readonly notes?: readonly string[];
  readonly thrown?: Error | readonly [refusal: string, message: string, hint: string];
}

const AGAIN = "The same command goes on, or says what is left.";

const ENDPOINTS: readonly Deletion[] = [
  { name: "the endpoint", asked: ["churn"] },
  { name: "one that was not described", plan: UNKNOWN, asked: ["churn"] },
  {
    name: "none that is being deleted",
    plan: DELETING_PLAN,
    asked: [],
    notes: ["churn is being deleted already."],
  },
  { name: "none that is not there", failure: GONE, thrown: GONE },
  { name: "none where it may not", failure: DENIED, thrown: DENIED },
  {
    name: "none that began to be updated",
    failure: new AwsError("in progress", "Cannot update in-progress endpoint"),
    thrown: [
      "in progress",
      "Endpoint is updating, cannot delete: churn (in progress)",
      UPDATING,
    ],
  },
  {
    name: "perhaps the endpoint, when it is stopped",
    plan: ALONE_PLAN,
    failure: STOPPED,
    notes: ["Interrupted: churn may be deleted."],
    thrown: STOPPED,
  },
  {
    name: "perhaps the endpoint, when it is stopped, and not its configuration",
    failure: STOPPED,
    notes: [`Interrupted: churn may be deleted, its configuration churn-config is not. ${AGAIN}`],
    thrown: STOPPED,
  },
  {
    name: "perhaps the endpoint, when the platform fails, and nothing else",
    plan: ALL,
    failure: FAILED,
    thrown: [
      "failed",
      "Out of order",
      "churn may be deleted, its configuration churn-config is not, its configuration " +
      `churn-config-2 is not, its model churn-mlcli is not. ${AGAIN}`,
    ],
  },
];

const BY_HAND = "aws sagemaker delete-endpoint-config --endpoint-config-name churn-config";
const MODEL_BY_HAND = "aws sagemaker delete-model --model-name churn-mlcli";
const MISSING = "Endpoint configuration churn-config does not exist.";
const LEFT = `Left: endpoint configuration churn-config. To delete it: ${BY_HAND}`;
const LEFT_MODEL = `Left: model churn-mlcli. To delete it: ${MODEL_BY_HAND}`;

const PARTS: readonly Deletion[] = [
  { name: "the configuration", asked: ["churn-config"] },
  { name: "none where none is meant", plan: ALONE_PLAN, asked: [] },
  { name: "that of one that was not described", plan: UNKNOWN, asked: ["churn-config"] },
  {
    name: "configurations and models, in order",
    plan: ALL,
    asked: ["churn-config", "churn-config-2", "churn-mlcli"],
  },
  {
    name: "nothing that is kept, and tells that",
    plan: { ...ALONE_PLAN, kept: [CONFIGURATION, MODEL, USED] },
    asked: [],
    notes: [
      LEFT,
      LEFT_MODEL,
      "Left: endpoint configuration used (others may use it). To delete it: " +
      "aws sagemaker delete-endpoint-config --endpoint-config-name used",
    ],
  },
  { name: "none that is not there", failure: GONE, notes: [MISSING] },
  {
    name: "none that is known not to be there",
    plan: { ...PLAN, parts: [{ ...CONFIGURATION, isThere: false }] },
    asked: [],
    notes: [MISSING],
  },
  {
    name: "the second where there is no first, without a word",
    plan: { ...PLAN, parts: [{ ...CONFIGURATION, isThere: false }, SECOND] },
    asked: ["churn-config-2"],
  },
  {
    name: "no model that is not there any more",
    plan: ALL,
    at: "churn-mlcli",
    failure: GONE,
    asked: ["churn-config", "churn-config-2", "churn-mlcli"],
  },
  {
    name: "none where it may not",
    failure: DENIED,
    thrown: [
      "denied",
      "No permission",
      `churn is deleted, its configuration churn-config is not. Add it. Then: ${BY_HAND}`,
    ],
  },
  {
    name: "the rest where it may not delete one",
    plan: { ...ALL, kept: [USED] },
    at: "churn-config-2",
    failure: DENIED,
    asked: ["churn-config", "churn-config-2", "churn-mlcli"],
    notes: [
      "Left: endpoint configuration used (others may use it). To delete it: " +
      "aws sagemaker delete-endpoint-config --endpoint-config-name used",
    ],
    thrown: [
      "denied",
      "No permission",
      "churn is deleted, its configuration churn-config is, its configuration churn-config-2 is " +
      `not, its model churn-mlcli is. Add it. Then: ${BY_HAND}-2`,
    ],
  },
  {
    name: "nothing more where the platform fails",
    plan: { ...ALL, parts: [CONFIGURATION, MODEL] },
    failure: FAILED,
    asked: ["churn-config"],
    thrown: [
      "failed",
      "Out of order",
      "churn is deleted, its configuration churn-config may be, its model churn-mlcli is not. " +
      `Then: ${BY_HAND}; ${MODEL_BY_HAND}`,
    ],
  },
  {
    name: "perhaps the configuration, when it is stopped",
    failure: STOPPED,
    notes: ["Interrupted: churn is deleted, its configuration churn-config may be.", LEFT],
    thrown: STOPPED,
  },
  {
    name: "nothing more when it is stopped",
    plan: ALL,
    at: "churn-config-2",
    failure: STOPPED,
    asked: ["churn-config", "churn-config-2"],
    notes: [
      "Interrupted: churn is deleted, its configuration churn-config is, its configuration " +
      "churn-config-2 may be, its model churn-mlcli is not.",
      `Left: endpoint configuration churn-config-2. To delete it: ${BY_HAND}-2`,
      LEFT_MODEL,
    ],
    thrown: STOPPED,
  },
  { name: "none after a defect of ours", failure: CAUSE, thrown: CAUSE },
];

for (
  const [title, work, rows] of [
    ["deletePlannedEndpoint", deletePlannedEndpoint, ENDPOINTS],
    ["deletePlannedParts", deletePlannedParts, PARTS],
  ] as const
) {
  suite(title, () => {
    for (const { name, plan = PLAN, at, failure, asked, notes = [], thrown } of rows) {
      it(`deletes ${name}`, async () => {
        const noted: string[] = [];
        const report = { note: (line: string) => void noted.push(line), progress: () => {} };
        const names: string[] = [];
        const doIt = (name: string): Promise<void> => {
          names.push(name);
          const isIt = failure && (at === undefined || at === name);
          return isIt ? Promise.reject(failure) : Promise.resolve();
        };
        const sagemaker = {
          ...memorySageMaker(),
          deleteEndpoint: doIt,
          deleteEndpointConfiguration: doIt,
          deleteModel: doIt,
        };
        const error = await work(sagemaker, plan, report, NOWHERE).catch((error) => error);
        if (thrown === undefined || thrown instanceof Error) assertEquals(error, thrown);
        else {
          assert(error instanceof AwsError);
          assertEquals([error.refusal, error.message, error.hint ?? ""], thrown);
        }
        if (failure === DENIED) assertEquals([error.quote, error.cause], ["User: jo", CAUSE]);
        assertEquals(noted, notes);
        if (asked) assertEquals(names, asked);
      });
    }
  });
}

const DELETING = endpointNamed("churn", { status: "Deleting" });

/** Waits; returns the pauses in ms. */
async function pausesFor(
  states: readonly EndpointState[],
  timeout = 1800,
): Promise<readonly number[]> {
  const clock = fakeClock();
  const { signal } = new AbortController();
  const host = { clock, interruption: { signal, force: signal } };
  const plan = { endpoint: "churn", description: CHURN };
  const report = { note: () => {}, progress: () => {} };
  const sagemaker = memorySageMaker({ churn: states });
  await waitUntilGone(sagemaker, plan, report, host, timeout);
  return clock.pauses;
}

suite("waitUntilGone", () => {
  it("asks soon at first, then every ten seconds", async () => {
    const pauses = await pausesFor([...Array(9).fill(DELETING), undefined]);
    assertEquals(pauses, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

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

  it("says that the platform could not delete it, and why", async () => {
    const failed = endpointNamed("churn", { status: "Failed", failureReason: "Out of luck" });
    const error = await assertRejects(() => pausesFor([DELETING, failed]), AwsError);
    assertEquals([error.message, error.quote], [
      "The platform could not delete endpoint churn",
      "Out of luck",
    ]);
  });

  it("ends when the time is over, not later", async () => {
    const error = await assertRejects(() => pausesFor([DELETING], 20), AwsError);
    assertEquals(error.message, "Still there after 20 s: churn (Deleting)");
  });

  for (const refusal of ["failed", "throttled", "unreachable"] as const) {
    it(`asks again when the platform is ${refusal}, until the time is over`, async () => {
      const failure = new AwsError(refusal, "No answer", { quote: "socket hang up" });
      assertEquals(await pausesFor([DELETING, failure, failure, undefined]), [250, 500, 1000]);
      const error = await assertRejects(() => pausesFor([DELETING, failure], 20), AwsError);
      assertEquals([error.message, error.quote], [
        "Not known after 20 s whether churn is gone: No answer",
        "socket hang up",
      ]);
      assertStringIncludes(error.hint!, "The deletion goes on.");
    });
  }

  it("does not wait for a permission", async () => {
    const denial = new AwsError("denied", "AccessDeniedException");
    const error = await assertRejects(() => pausesFor([DELETING, denial]), AwsError);
    assertEquals(error, denial);
  });
});
