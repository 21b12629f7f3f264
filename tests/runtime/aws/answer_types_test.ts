import { assertEquals } from "@std/assert";
import { DescribeTrainingJobCommand } from "@aws-sdk/client-sagemaker";
import { hasTypes } from "../../../runtime/aws/answer_types.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The schema of the response: the last part of an operation's. */
const SCHEMA = (new DescribeTrainingJobCommand({ TrainingJobName: "a" }) as unknown as {
  readonly schema: readonly unknown[];
}).schema[5];

const ROWS: readonly (readonly [answer: unknown, fits: boolean])[] = [
  [{}, true],
  [undefined, true],
  [{ TrainingJobName: "a", BillableTimeInSeconds: 7, EnableNetworkIsolation: true }, true],
  [{ TrainingJobName: null, HyperParameters: null, Unknown: {} }, true],
  [{ CreationTime: new Date(0), HyperParameters: { a: "1" } }, true],
  [{ InputDataConfig: [{ ChannelName: "a" }], ResourceConfig: { VolumeSizeInGB: 30 } }, true],
  ["text", false],
  [[], false],
  [{ TrainingJobName: 1 }, false],
  [{ BillableTimeInSeconds: "7" }, false],
  [{ EnableNetworkIsolation: "true" }, false],
  [{ CreationTime: new Date(NaN) }, false],
  [{ HyperParameters: "a" }, false],
  [{ HyperParameters: { a: null } }, false],
  [{ HyperParameters: { a: 1 } }, false],
  [{ InputDataConfig: {} }, false],
  [{ InputDataConfig: [null] }, false],
  [{ InputDataConfig: ["a"] }, false],
  [{ InputDataConfig: [{ ChannelName: {} }] }, false],
  [{ ResourceConfig: [] }, false],
  [{ ResourceConfig: { VolumeSizeInGB: {} } }, false],
];

suite("hasTypes", () => {
  for (const [answer, fits] of ROWS) {
    it(`is ${fits} for ${JSON.stringify(answer)} of a training job`, () => {
      assertEquals(hasTypes(SCHEMA, answer), fits);
    });
  }
});
