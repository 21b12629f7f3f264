import { assert, assertEquals, assertRejects } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import type { SageMaker } from "../../../../runtime/aws/sagemaker.ts";
import type { EndpointDescription } from "../../../../runtime/aws/sagemaker_endpoints.ts";
import {
  deletePlannedConfiguration,
  deletePlannedEndpoint,
  type DeletionPlan,
  type DeletionReport,
  type DeletionRequest,
  planDeletion,
} from "../../../../runtime/cloud/endpoints/deletion.ts";
import { Interrupted } from "../../../../runtime/errors.ts";
import {
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
  return await planDeletion(
    { ...memorySageMaker(Object.fromEntries(all)), ...more },
    { endpoint: "churn", withConfiguration: true, wait: false, ...request },
    report,
  );
}

const ALONE = { withConfiguration: false };
const STATUS = "Status of churn not checked";
const USES = "uses churn-config not checked: No permission";
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
    ...["InService", "churn-config", [`Whether another endpoint ${USES}`]] as const,
  ],
  [
    "others of which some may not be described",
    {
      states: { x: DENIED, y: DENIED, other: OTHER },
      more: listing([CHURN, user("x"), OTHER, user("y")]),
    },
    ...["InService", "churn-config", [`Whether one of 2 endpoints ${USES}`]] as const,
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
    ...["not found", "ResourceNotFound: endpoint churn", undefined] as const,
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
      const { endpoint, description, ...rest } = await plan(given, report);
      assertEquals([endpoint, description?.status], ["churn", status]);
      assertEquals([rest.configuration, report.notes], [configuration, notes]);
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
      const states = { [endpoint]: endpointNamed(endpoint), other: OTHER };
      const { configuration } = await plan({ states, request: { endpoint } }, report);
      assertEquals(configuration, isNoted ? undefined : `${endpoint}-config`);
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
    };
    assertEquals((await plan({ more })).configuration, "churn-config");
  });
});

const PLAN: DeletionPlan = {
  endpoint: "churn",
  description: CHURN,
  configuration: "churn-config",
};
const DELETING = { ...PLAN, description: endpointNamed("churn", { status: "Deleting" }) };
const USED = { ...PLAN, description: endpointNamed("churn", { configuration: "used" }) };
const UNKNOWN = { ...PLAN, description: undefined };
const ALONE_PLAN = { ...PLAN, configuration: undefined };

/** A deletion: what the platform says, what it was asked for, what is noted, what is thrown. */
interface Deletion {
  readonly name: string;
  readonly plan?: DeletionPlan;
  readonly failure?: Error;
  readonly asked?: readonly string[];
  readonly notes?: readonly string[];
  readonly thrown?: Error | readonly [refusal: string, message: string, hint: string];
}

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
    notes: ["Interrupted: churn may be deleted, its configuration churn-config is not."],
    thrown: STOPPED,
  },
];

const KEPT = "churn is deleted, its configuration churn-config is not.";
const BY_HAND = "Then: aws sagemaker delete-endpoint-config --endpoint-config-name churn-config";

const CONFIGURATIONS: readonly Deletion[] = [
  { name: "the configuration", asked: ["churn-config"] },
  { name: "none where none is meant", plan: ALONE_PLAN, asked: [] },
  { name: "that of one that was not described", plan: UNKNOWN, asked: ["churn-config"] },
  {
    name: "the one of its name, where another was used",
    plan: USED,
    asked: ["churn-config"],
    notes: ["Endpoint configuration: kept used, which churn used; deleted churn-config."],
  },
  {
    name: "none that is not there",
    failure: GONE,
    notes: ["Endpoint configuration churn-config does not exist; nothing else was deleted."],
  },
  {
    name: "none that is not there, where another was used",
    plan: USED,
    failure: GONE,
    notes: ["Endpoint configuration churn-config does not exist; kept used, which churn used."],
  },
  {
    name: "none where it may not",
    failure: DENIED,
    thrown: ["denied", "No permission", `${KEPT} Add it. ${BY_HAND}`],
  },
  {
    name: "perhaps the configuration, when it is stopped",
    failure: STOPPED,
    notes: ["Interrupted: churn is deleted, its configuration churn-config may be."],
    thrown: STOPPED,
  },
  { name: "none after a defect of ours", failure: CAUSE, thrown: CAUSE },
];

for (
  const [work, operation, rows] of [
    [deletePlannedEndpoint, "deleteEndpoint", ENDPOINTS],
    [deletePlannedConfiguration, "deleteEndpointConfiguration", CONFIGURATIONS],
  ] as const
) {
  suite(work.name, () => {
    for (const { name, plan = PLAN, failure, asked, notes = [], thrown } of rows) {
      it(`deletes ${name}`, async () => {
        const report = new MemoryReport();
        const names: string[] = [];
        const unasked = () => Promise.reject(new Error("Nobody asked for that"));
        const sagemaker = {
          ...memorySageMaker(),
          deleteEndpoint: unasked,
          deleteEndpointConfiguration: unasked,
          [operation](name: string) {
            names.push(name);
            return failure ? Promise.reject(failure) : Promise.resolve();
          },
        };
        const error = await work(sagemaker, plan, report).catch((error) => error);
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
