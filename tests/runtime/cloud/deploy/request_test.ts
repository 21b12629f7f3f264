import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  checkedRequest,
  type DeployRequest,
  withoutInstances,
} from "../../../../runtime/cloud/deploy/request.ts";
import { MlcliError, UsageError } from "../../../../runtime/errors.ts";
import { deployRequest } from "../../../helpers/deploy_state.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { inFile, typed } from "../../../helpers/settings.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A request with the fewest settings. */
const LEAST = deployRequest({ iamRoleArn: undefined });

const NETWORK = { subnet: [inFile("subnet-1")], securityGroup: ["sg-1"] };
const DATA_CAPTURE = inFile({ bucket: "bucket", key: "captured" });
const CANARY = inFile(10);

/** Settings that can be combined. */
const FINE: readonly Partial<DeployRequest>[] = [
  {},
  { ec2Type: "ml.m5.large", instanceCount: inFile(2), ...NETWORK, canary: CANARY },
  {
    instanceCount: inFile(3),
    dataCapture: DATA_CAPTURE,
    healthCheckTimeout: inFile(60),
    kmsKey: inFile("alias/k"),
  },
  {
    memorySizeInMb: inFile(2_048),
    maxConcurrency: 7,
    kmsKey: inFile("alias/k"),
    variables: { A: "1" },
  },
  { maxConcurrency: 7, tags: { team: "growth" } },
];

/** What may not, with words of the error and of its hint. */
const WRONG: readonly (readonly [asked: Partial<DeployRequest>, words: RegExp, hint: RegExp])[] = [
  [
    { endpointName: undefined, model: undefined },
    /^Missing required options "--endpoint-name", "--model"$/,
    /"endpoint_name" and "model" in "deploy" of churn\.json\. To run locally: mlcli local deploy$/,
  ],
  [
    { endpointName: undefined },
    /^Missing required option "--endpoint-name"$/,
    /^mlcli deploy runs on SageMaker\. Set it, or set "endpoint_name" in "deploy" of churn\.json/,
  ],
  [
    { model: undefined },
    /^Missing required option "--model"$/,
    /"model" in "deploy" of churn\.json\.$/,
  ],
  ...([
    ["--subnet", NETWORK],
    ["--data-capture", { dataCapture: DATA_CAPTURE }],
    ["--canary", { canary: CANARY }],
    ["--health-check-timeout", { healthCheckTimeout: inFile(600) }],
  ] as const).flatMap(([flag, asked]) =>
    [{ memorySizeInMb: inFile(1_024) }, { maxConcurrency: 5 }].map((serverless) =>
      [
        { ...serverless, ...asked },
        new RegExp(`^Option "${flag}" is not supported for serverless endpoints$`),
        /--ec2-type instead of --memory-size-in-mb/,
      ] as const
    )
  ),
  [
    { subnet: Array(17).fill(inFile("subnet-1")), securityGroup: ["sg-1"] },
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

  it("checkedRequest accepts ten alarms at most", () => {
    const ten = Array.from({ length: 10 }, (_, index) => inFile(`alarm-${index}`));
    const checked = (canary: number | undefined, alarm: DeployRequest["alarm"]) => {
      const request = {
        ...LEAST,
        canary: canary === undefined ? undefined : inFile(canary),
        alarm,
      };
      const { canary: percent, alarm: alarms } = checkedRequest(request);
      return { percent: percent?.value, alarms };
    };
    assertEquals(checked(undefined, []), { percent: undefined, alarms: [] });
    assertEquals(checked(10, []), { percent: 10, alarms: [] });
    assertEquals(checked(10, ten), { percent: 10, alarms: ten });
    const many = assertThrows(() => checked(10, [...ten, inFile("one")]), UsageError);
    assertEquals(many.message, 'Option "--alarm" has 11 values, but SageMaker allows 10');
  });
});

suite("settings of the file that serverless endpoints do not have", () => {
  const INSTANCES = { canary: CANARY, alarm: [inFile("a")], dataCapture: DATA_CAPTURE };

  it("settings of the file are left out if the user types the memory size, and each is reported", () => {
    const { err, messages } = fakeContext();
    const asked = deployRequest({ ...INSTANCES, memorySizeInMb: typed(1_024) });
    const { canary, alarm, dataCapture } = withoutInstances(asked, messages);
    assertEquals({ canary, alarm, dataCapture }, {
      canary: undefined,
      alarm: [],
      dataCapture: undefined,
    });
    const note = (key: string): string =>
      `note: Ignored "${key}" in churn.json: serverless endpoints do not support it\n`;
    assertEquals(err.text, note("canary") + note("data_capture"));
  });

  it("settings of the file stay, and are refused, if the file sets the memory size", () => {
    const asked = deployRequest({ ...INSTANCES, memorySizeInMb: inFile(1_024) });
    const { err, messages } = fakeContext();
    assertEquals(withoutInstances(asked, messages), asked);
    assertEquals(err.text, "");
  });

  it("typed settings stay, and are refused", () => {
    const own = { canary: typed(10), alarm: [typed("a")], dataCapture: typed(DATA_CAPTURE.value) };
    const asked = deployRequest({ ...own, memorySizeInMb: typed(1_024) });
    const { messages } = fakeContext();
    const { canary, alarm, dataCapture } = withoutInstances(asked, messages);
    assertEquals({ canary, alarm, dataCapture }, own);
  });
});
