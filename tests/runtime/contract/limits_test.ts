import { assertEquals } from "@std/assert";
import {
  BODY_BYTES,
  bytesOf,
  CHANNEL_NAME,
  ENVIRONMENT,
  HYPERPARAMETERS,
  INVOCATION_SECONDS,
  isResourceName,
  lengthOf,
  LINE_END,
  MOST_CHANNELS,
  NAME,
  NAME_LENGTH,
  PING_SECONDS,
  PROCESSING_ARGUMENTS,
  REASON_LENGTH,
  START_SECONDS,
  STOP_SECONDS,
  VARIABLE_NAME,
} from "../../../runtime/contract/limits.ts";
import { it, suite } from "../../helpers/suite.ts";

/** `max` of shapes of AWS's own model: botocore 1.44.5, `data/sagemaker/2017-07-24/service-2.json`. */
const MOST: readonly (readonly [shape: string, max: number, ours: number])[] = [
  ["HyperParameters", 100, HYPERPARAMETERS.most],
  ["HyperParameterKey", 256, HYPERPARAMETERS.nameLength],
  ["HyperParameterValue", 2500, HYPERPARAMETERS.valueLength],
  ["InputDataConfig", 20, MOST_CHANNELS],
  ["TrainingJobName", 63, NAME_LENGTH],
  ["ProcessingJobName", 63, NAME_LENGTH],
  ["EndpointName", 63, NAME_LENGTH],
  ["EndpointConfigName", 63, NAME_LENGTH],
  ["TrainingEnvironmentMap", 100, ENVIRONMENT.train.most],
  ["TrainingEnvironmentKey", 512, ENVIRONMENT.train.nameLength],
  ["TrainingEnvironmentValue", 512, ENVIRONMENT.train.valueLength],
  ["ProcessingEnvironmentMap", 100, ENVIRONMENT.process.most],
  ["ProcessingEnvironmentKey", 256, ENVIRONMENT.process.nameLength],
  ["ProcessingEnvironmentValue", 256, ENVIRONMENT.process.valueLength],
  ["EnvironmentMap", 100, ENVIRONMENT.serve.most],
  ["EnvironmentKey", 1024, ENVIRONMENT.serve.nameLength],
  ["EnvironmentValue", 1024, ENVIRONMENT.serve.valueLength],
  ["ContainerEntrypoint", 100, PROCESSING_ARGUMENTS.most],
  ["ContainerEntrypointString", 256, PROCESSING_ARGUMENTS.length],
  ["ContainerArguments", 100, PROCESSING_ARGUMENTS.most],
  ["ContainerArgument", 256, PROCESSING_ARGUMENTS.length],
  ["FailureReason", 1024, REASON_LENGTH],
  ["ExitMessage", 1024, REASON_LENGTH],
  ["BodyBlob", 6291456, BODY_BYTES],
];

/** `pattern` of the same, as it stands there. */
const PATTERNS: readonly (readonly [shape: string, pattern: string, ours: RegExp])[] = [
  ["TrainingJobName", "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", NAME],
  ["ProcessingJobName", "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", NAME],
  ["EndpointName", "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", NAME],
  ["TrainingEnvironmentKey", "[a-zA-Z_][a-zA-Z0-9_]*", VARIABLE_NAME],
  ["ProcessingEnvironmentKey", "[a-zA-Z_][a-zA-Z0-9_]*", VARIABLE_NAME],
  ["EnvironmentKey", "[a-zA-Z_][a-zA-Z0-9_]*", VARIABLE_NAME],
];

/** Names, and whether a job or an endpoint can have each. */
const NAMES: readonly (readonly [name: string, is: boolean])[] = [
  ["a", true],
  ["Churn-2026--x", true],
  ["a".repeat(63), true],
  [`a${"-".repeat(61)}a`, true],
  [`a${"-".repeat(62)}a`, false],
  ["a".repeat(64), false],
  ["", false],
  ["-a", false],
  ["a-", false],
  ["a_b", false],
  ["a.b", false],
  ["a\n", false],
  ["ä", false],
];

suite("limits", () => {
  for (const [shape, max, ours] of MOST) {
    it(`${shape} has at most ${max}, as in AWS's own model`, () => assertEquals(ours, max));
  }

  for (const [shape, pattern, ours] of PATTERNS) {
    it(`${shape} has the pattern of AWS's own model`, () => {
      assertEquals(ours.source, `^${pattern}$`);
    });
  }

  it("ChannelName has pattern and length of AWS's own model in one", () => {
    const [pattern, max] = ["[A-Za-z0-9\\.\\-_]+", 64];
    for (const name of ["a", "A.b-c_9", "..", "", "a b", "a/b", "é", "a\n", "x".repeat(max)]) {
      assertEquals(CHANNEL_NAME.test(name), new RegExp(`^${pattern}$`).test(name), name);
    }
    assertEquals(CHANNEL_NAME.test("x".repeat(max + 1)), false);
  });

  it("times are those of AWS's guides", () => {
    assertEquals([PING_SECONDS, START_SECONDS, INVOCATION_SECONDS], [2, 4 * 60, 60]);
    assertEquals(STOP_SECONDS, { train: 120, serve: 30 });
    assertEquals([ENVIRONMENT.serve.totalBytes, ENVIRONMENT.serve.unit], [32 * 1024, "bytes"]);
  });

  for (const [name, is] of NAMES) {
    it(`${JSON.stringify(name.slice(0, 20))} (${name.length}) is ${is ? "a" : "no"} name`, () => {
      assertEquals(isResourceName(name), is);
    });
  }

  const lengths = [["", 0, 0], ["abc", 3, 3], ["é", 1, 2], ["€", 1, 3], ["😀😀", 2, 8]] as const;
  for (const [text, length, bytes] of lengths) {
    it(`"${text}" has ${length} characters and ${bytes} bytes`, () => {
      assertEquals([lengthOf(text), bytesOf(text)], [length, bytes]);
    });
  }

  it("a line ends where the dot of a pattern does", () => {
    for (const text of ["a\nb", "a\rb", "a\u2028b", "a\u2029b", "a\tb", "a b", "é"]) {
      assertEquals(LINE_END.test(text), !/^.*$/.test(text), JSON.stringify(text));
    }
  });
});
