import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  canaryOf,
  checkedRequest,
  type DeployRequest,
} from "../../../../runtime/cloud/deploy/request.ts";
import { MlcliError, UsageError } from "../../../../runtime/errors.ts";
import { deployRequest } from "../../../helpers/deploy_state.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A request that says the least. */
const LEAST = deployRequest({ actingRole: undefined });

const NETWORK = { subnets: ["subnet-1"], securityGroups: ["sg-1"] };
const DATA_CAPTURE = { bucket: "bucket", key: "captured" };
const CANARY = { percent: 10, alarms: [] };

/** What may be asked for together. */
const FINE: readonly Partial<DeployRequest>[] = [
  {},
  { instanceType: "ml.m5.large", instanceCount: 2, ...NETWORK, canary: CANARY },
  { instanceCount: 3, dataCapture: DATA_CAPTURE, healthCheckTimeout: 60, kmsKey: "alias/k" },
  { memorySize: 2_048, maxConcurrency: 7, kmsKey: "alias/k", variables: { A: "1" } },
  { maxConcurrency: 7, tags: { team: "growth" } },
];

/** What may not, with words of the error and of its hint. */
const WRONG: readonly (readonly [asked: Partial<DeployRequest>, words: RegExp, hint: RegExp])[] = [
  [
    { endpoint: undefined, model: undefined },
    /^Missing required options "--endpoint-name", "--model"$/,
    /"endpoint_name" and "model" in "deploy" of churn\.json\. To run locally: mlcli local deploy$/,
  ],
  [
    { endpoint: undefined },
    /^Missing required option "--endpoint-name"$/,
    /^mlcli deploy runs on SageMaker\. Set it, or set "endpoint_name" in "deploy" of churn\.json/,
  ],
  [
    { model: undefined },
    /^Missing required option "--model"$/,
    /"model" in "deploy" of churn\.json\.$/,
  ],
  [
    { instanceType: "ml.m5.large", memorySize: 1_024 },
    /^Options "--ec2-type" and "--memory-size-in-mb" cannot be used together$/,
    /^Choose instances .* or a serverless endpoint/,
  ],
  [
    { instanceType: "ml.m5.large", maxConcurrency: 5 },
    /^Options "--ec2-type" and "--max-concurrency" cannot be used together$/,
    /serverless/,
  ],
  [
    { instanceCount: 2, memorySize: 1_024 },
    /^Options "--instance-count" and "--memory-size-in-mb" cannot be used together$/,
    /serverless/,
  ],
  [
    { instanceCount: 2, maxConcurrency: 5 },
    /^Options "--instance-count" and "--max-concurrency" cannot be used together$/,
    /serverless/,
  ],
  ...([
    ["--subnet", NETWORK],
    ["--data-capture", { dataCapture: DATA_CAPTURE }],
    ["--canary", { canary: CANARY }],
    ["--health-check-timeout", { healthCheckTimeout: 600 }],
  ] as const).flatMap(([flag, asked]) =>
    [{ memorySize: 1_024 }, { maxConcurrency: 5 }].map((serverless) =>
      [
        { ...serverless, ...asked },
        new RegExp(`^Option "${flag}" is not supported for serverless endpoints$`),
        /--ec2-type instead of --memory-size-in-mb/,
      ] as const
    )
  ),
  [
    { subnets: ["subnet-1"] },
    /^Option "--subnet" has no effect without "--security-group"$/,
    /or neither/,
  ],
  [
    { securityGroups: ["sg-1"] },
    /^Option "--security-group" has no effect without "--subnet"$/,
    /or neither/,
  ],
  [
    { subnets: Array(17).fill("subnet-1"), securityGroups: ["sg-1"] },
    /^Option "--subnet" has 17 values, but SageMaker allows 16$/,
    /^Remove some values/,
  ],
  [
    { tags: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`t${index}`, ""])) },
    /^Option "--tag" has 51 values, but SageMaker allows 50$/,
    /^Remove some values/,
  ],
];

suite("what an endpoint is asked for with", () => {
  for (const asked of FINE) {
    it(`may be ${JSON.stringify(asked)}`, () => {
      assertEquals(checkedRequest({ ...LEAST, ...asked }) as DeployRequest, { ...LEAST, ...asked });
    });
  }

  for (const [asked, words, hint] of WRONG) {
    it(`is refused: ${words.source}`, () => {
      const error = assertThrows(() => checkedRequest({ ...LEAST, ...asked }), UsageError);
      assertMatch(error.message, words);
      assertMatch(error.hint ?? "", hint);
    });
  }

  it("has variables that a server may have", () => {
    const variables = { LONG: "x".repeat(1_025) };
    const error = assertThrows(() => checkedRequest({ ...LEAST, variables }), MlcliError);
    assertMatch(error.message, /LONG/);
    assertEquals(error.message.includes("xxx"), false);
  });

  it("has alarms where something is tried, ten at most", () => {
    const ten = Array.from({ length: 10 }, (_, index) => `alarm-${index}`);
    assertEquals(canaryOf(undefined, []), undefined);
    assertEquals(canaryOf(10, []), { percent: 10, alarms: [] });
    assertEquals(canaryOf(10, ten), { percent: 10, alarms: ten });
    const alone = assertThrows(() => canaryOf(undefined, ["a"]), UsageError);
    assertEquals(alone.message, 'Option "--alarm" has no effect without "--canary"');
    const many = assertThrows(() => canaryOf(10, [...ten, "one"]), UsageError);
    assertEquals(many.message, 'Option "--alarm" has 11 values, but SageMaker allows 10');
  });
});
