import { assertEquals, assertRejects } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../../../runtime/aws/sagemaker.ts";
import {
  type DeletionPlan,
  type DeletionRequest,
  planDeletion,
} from "../../../../runtime/cloud/endpoints/delete_plan.ts";
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
const STOPPED = new Interrupted("SIGINT");

/** What was noted, and what was said for a moment. */
class MemoryReport {
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
function configurationIn({ parts }: DeletionPlan): string | undefined {
  return parts.find(({ kind }) => kind === "configuration")?.name;
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
