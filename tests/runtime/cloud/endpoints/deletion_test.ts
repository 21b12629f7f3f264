import { assert, assertEquals, assertRejects } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import type { SageMaker } from "../../../../runtime/aws/sagemaker.ts";
import type { EndpointDescription } from "../../../../runtime/aws/sagemaker_endpoints.ts";
import {
  deletePlannedEndpoint,
  deletePlannedThings,
} from "../../../../runtime/cloud/endpoints/carry_out.ts";
import {
  type DeletionPlan,
  type DeletionReport,
  type DeletionRequest,
  planDeletion,
  type Planned,
} from "../../../../runtime/cloud/endpoints/deletion.ts";
import { Interrupted } from "../../../../runtime/errors.ts";
import {
  configured,
  endpointNamed,
  type EndpointState,
  memorySageMaker,
} from "../../../helpers/memory_sagemaker.ts";
import { it, suite } from "../../../helpers/suite.ts";

const CHURN = endpointNamed("churn");
const OTHER = endpointNamed("other");
/** Another endpoint with churn's configuration. */
const user = (name: string, status = "InService"): EndpointDescription =>
  endpointNamed(name, { configuration: "churn-config", status });

const CAUSE = new Error("HTTP 400");
const DETAILS = { hint: "Add it.", quote: "User: jo", cause: CAUSE };
const DENIED = new AwsError("denied", "No permission", DETAILS);
const FAILED = new AwsError("failed", "Out of order");
const GONE = new AwsError("not found", "ResourceNotFound: it");
const STOPPED = new Interrupted("SIGINT");

/** What was noted, and what was said for a moment. */
class MemoryReport implements DeletionReport {
  readonly notes: string[] = [];
  readonly moments: string[] = [];
  note = (line: string): void => void this.notes.push(line);
  progress = (text: string): void => void this.moments.push(text);
}

/** A platform on which listing fails, at once. */
function unlisted(error: Error): Partial<SageMaker> {
  return {
    // deno-lint-ignore require-yield
    async *listEndpoints() {
      throw await Promise.resolve(error);
    },
  };
}

/** One that lists what is not there any more when it is asked for. */
function listing(endpoints: readonly EndpointDescription[]): Partial<SageMaker> {
  return {
    async *listEndpoints() {
      yield await Promise.resolve(endpoints);
    },
  };
}

interface Given {
  /** What descriptions say: churn alone in its place where nothing is given. */
  readonly states?: Readonly<Record<string, EndpointState>>;
  readonly more?: Partial<SageMaker>;
  readonly request?: Partial<DeletionRequest>;
}

async function plan({ states = {}, more, request }: Given, report = new MemoryReport()) {
  const all = Object.entries({ churn: CHURN, ...states }).map(([name, state]) => [name, [state]]);
  const memory = memorySageMaker(Object.fromEntries(all));
  return await planDeletion(
    { ...memory, describeEndpointConfiguration: configured("churn-config", memory), ...more },
    {
      ...{ endpoint: "churn", withConfiguration: true, withModel: false, wait: false },
      choice: NOWHERE,
      ...request,
    },
    report,
  );
}

const NOWHERE = { region: undefined, profile: undefined, iamRoleArn: undefined };

/** Name of the configuration that goes. */
function configurationIn({ things }: DeletionPlan): string | undefined {
  return things.find(({ kind }) => kind === "configuration")?.name;
}

const ALONE = { withConfiguration: false };
const STATUS = "Status of churn not checked";
const USES = "uses churn-config: No permission";
const LONG = "a".repeat(57);
const OTHERS = Object.fromEntries(
  ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map((name) => [name, endpointNamed(name)]),
);

/** What is planned: the status, the configuration that goes, what is noted. */
const PLANS: readonly (readonly [
  name: string,
  given: Given,
  status: string | undefined,
  configuration: string | undefined,
  notes: readonly string[],
])[] = [
  ["the endpoint alone", { request: ALONE }, "InService", undefined, []],
  ["its configuration, too", {}, "InService", "churn-config", []],
  ...["Failed", "OutOfService", "UpdateRollbackFailed", "Deleting", "Whatever"].map((status) =>
    [
      `an endpoint that is ${status}`,
      { states: { churn: endpointNamed("churn", { status }) } },
      status,
      "churn-config",
      [],
    ] as const
  ),
  [
    "one that may not be described",
    { states: { churn: DENIED }, request: ALONE },
    ...[
      undefined,
      undefined,
      [`${STATUS}: No permission`],
    ] as const,
  ],
  [
    "one that may not be described, nor who uses its configuration",
    { states: { churn: DENIED, x: user("x") } },
    undefined,
    "churn-config",
    [`${STATUS}, nor whether another endpoint uses churn-config: No permission`],
  ],
  [
    "one that is waited for",
    { request: { wait: true } },
    ...["InService", "churn-config", []] as const,
  ],
  ["others with their own", { states: OTHERS }, "InService", "churn-config", []],
  [
    "users, since the configuration stays",
    { states: { x: user("x") }, request: ALONE },
    ...["InService", undefined, []] as const,
  ],
  [
    "a user that is going away",
    { states: { x: user("x", "Deleting") } },
    ...["InService", "churn-config", []] as const,
  ],
  [
    "one that went after it was listed",
    { more: listing([CHURN, user("x")]) },
    ...["InService", "churn-config", []] as const,
  ],
  [
    "endpoints that may not be listed",
    { more: unlisted(DENIED) },
    ...["InService", "churn-config", [`Not checked whether another endpoint ${USES}`]] as const,
  ],
  [
    "others of which some may not be described",
    {
      states: { x: DENIED, y: DENIED, other: OTHER },
      more: listing([CHURN, user("x"), OTHER, user("y")]),
    },
    ...["InService", "churn-config", [`Not checked whether one of 2 endpoints ${USES}`]] as const,
  ],
];

const UPDATING = "Wait until mlcli list-endpoints shows InService or Failed, then delete it.";
const IN_USE = "Nothing was deleted. Delete the endpoints that use it first, or leave out " +
  "--delete-config.";

/** Why nothing is planned. */
const REFUSALS: readonly (readonly [
  name: string,
  given: Given,
  expected: readonly [refusal: string, message: string, hint: string | undefined],
])[] = [
  ...["Creating", "Updating", "SystemUpdating", "RollingBack"].map((status) =>
    [
      `an endpoint that is ${status}`,
      { states: { churn: endpointNamed("churn", { status }) }, request: ALONE },
      ["in progress", `Endpoint is updating, cannot delete: churn (${status})`, UPDATING],
    ] as const
  ),
  ["one that is not there", { states: { churn: undefined } }, [
    "not found",
    "ResourceNotFound: endpoint churn",
    "There is, of that name: endpoint configuration churn-config. To delete that: " +
    "aws sagemaker delete-endpoint-config --endpoint-config-name churn-config",
  ]],
  ["a platform that fails", { states: { churn: FAILED } }, [
    ...["failed", "Out of order", undefined] as const,
  ]],
  [
    "to wait for one that may not be described",
    { states: { churn: DENIED }, request: { wait: true } },
    [
      "denied",
      "No permission",
      "Nothing was deleted. --wait has to describe the endpoint: add the permission, or leave " +
      "out --wait.",
    ],
  ],
  [
    "a configuration that others use, in order",
    { states: { z: user("z", "Creating"), ...OTHERS, b: user("b"), m: user("m") } },
    ["other", "Cannot delete endpoint config, still in use: churn-config (by b, m, z)", IN_USE],
  ],
  [
    "a configuration that one uses where another may not be described",
    { states: { x: DENIED, b: user("b") }, more: listing([endpointNamed("x"), user("b")]) },
    ["other", "Cannot delete endpoint config, still in use: churn-config (by b)", IN_USE],
  ],
  [
    "a platform that fails to list",
    { more: unlisted(FAILED) },
    ["failed", "Out of order", undefined],
  ],
  [
    "a platform that fails at another endpoint",
    { states: { other: FAILED }, more: listing([OTHER]) },
    ["failed", "Out of order", undefined],
  ],
];

suite("planDeletion", () => {
  for (const [name, given, status, configuration, notes] of PLANS) {
    it(`takes ${name}`, async () => {
      const report = new MemoryReport();
      const planned = await plan(given, report);
      assertEquals([planned.endpoint, planned.description?.status], ["churn", status]);
      assertEquals([configurationIn(planned), report.notes], [configuration, notes]);
    });
  }

  for (const [name, given, expected] of REFUSALS) {
    it(`refuses ${name}`, async () => {
      const report = new MemoryReport();
      const error = await assertRejects(() => plan(given, report), AwsError);
      assertEquals([error.refusal, error.message, error.hint], expected);
      assertEquals(report.notes, []);
      if (error.refusal === "denied") assertEquals([error.quote, error.cause], ["User: jo", CAUSE]);
    });
  }

  it("says how many others it has asked", async () => {
    const report = new MemoryReport();
    await plan({ states: { x: OTHER, y: OTHER } }, report);
    assertEquals(
      report.moments,
      [1, 2].map((count) => `Looking for other users of churn-config: ${count} endpoints`),
    );
  });

  it("asks nobody about a configuration whose name is too long", async () => {
    for (const [endpoint, isNoted] of [[LONG, true], [LONG.slice(1), false]] as const) {
      const report = new MemoryReport();
      const configuration = isNoted ? "short" : `${endpoint}-config`;
      const states = { [endpoint]: endpointNamed(endpoint, { configuration }), other: OTHER };
      const more = configured(`${endpoint}-config`, memorySageMaker());
      const planned = await plan(
        { states, request: { endpoint }, more: { describeEndpointConfiguration: more } },
        report,
      );
      assertEquals(configurationIn(planned), isNoted ? undefined : `${endpoint}-config`);
      assertEquals([report.moments.length > 0, report.notes], [
        !isNoted,
        isNoted
          ? [`${endpoint}-config is longer than names can be: no such configuration to delete.`]
          : [],
      ]);
    }
  });

  it("is stopped by the user", async () => {
    for (const more of [unlisted(STOPPED), { describeEndpoint: () => Promise.reject(STOPPED) }]) {
      assertEquals(await assertRejects(() => plan({ more }), Interrupted), STOPPED);
    }
  });

  it("deletes nothing", async () => {
    const more = {
      deleteEndpoint: () => Promise.reject(FAILED),
      deleteEndpointConfiguration: () => Promise.reject(FAILED),
      deleteModel: () => Promise.reject(FAILED),
    };
    assertEquals(configurationIn(await plan({ more })), "churn-config");
  });
});

const CONFIGURATION: Planned = { kind: "configuration", name: "churn-config", isThere: true };
const SECOND: Planned = { kind: "configuration", name: "churn-config-2", isThere: true };
const MODEL: Planned = { kind: "model", name: "churn-mlcli", isThere: true };
const USED: Planned = { kind: "configuration", name: "used", isThere: true };
const PLAN: DeletionPlan = {
  endpoint: "churn",
  description: CHURN,
  things: [CONFIGURATION],
  kept: [],
};
const DELETING = { ...PLAN, description: endpointNamed("churn", { status: "Deleting" }) };
const UNKNOWN = { ...PLAN, description: undefined };
const ALONE_PLAN = { ...PLAN, things: [] };
const ALL = { ...PLAN, things: [CONFIGURATION, SECOND, MODEL] };

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
    plan: DELETING,
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

const THINGS: readonly Deletion[] = [
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
    plan: { ...PLAN, things: [{ ...CONFIGURATION, isThere: false }] },
    asked: [],
    notes: [MISSING],
  },
  {
    name: "the second where there is no first, without a word",
    plan: { ...PLAN, things: [{ ...CONFIGURATION, isThere: false }, SECOND] },
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
    plan: { ...ALL, things: [CONFIGURATION, MODEL] },
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
    ["deletePlannedThings", deletePlannedThings, THINGS],
  ] as const
) {
  suite(title, () => {
    for (const { name, plan = PLAN, at, failure, asked, notes = [], thrown } of rows) {
      it(`deletes ${name}`, async () => {
        const report = new MemoryReport();
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
        assertEquals(report.notes, notes);
        if (asked) assertEquals(names, asked);
      });
    }
  });
}
