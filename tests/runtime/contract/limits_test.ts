import { assertEquals } from "@std/assert";
import {
  ALARMS,
  ASYNCHRONOUS_BODY_BYTES,
  BODY_BYTES,
  bytesOf,
  CAPTURE_URI_LENGTH,
  CHANNEL_NAME,
  ENVIRONMENT,
  HEALTH_CHECK_SECONDS,
  HYPERPARAMETERS,
  INVOCATION_SECONDS,
  isResourceName,
  isTagText,
  KMS_KEY,
  LARGEST_VOLUME,
  lengthOf,
  LINE_END,
  LONGEST_RUN,
  MOST_CHANNELS,
  MOST_INSTANCE_GROUPS,
  MOST_INSTANCES,
  NAME,
  NAME_LENGTH,
  NETWORK,
  NETWORK_ID,
  PING_SECONDS,
  PROCESSING_ARGUMENTS,
  PROCESSING_DATA,
  REASON_LENGTH,
  S3_URI_LENGTH,
  SERVERLESS,
  START_SECONDS,
  STOP_SECONDS,
  STREAM_SECONDS,
  SURE_BODY_BYTES,
  TAGS,
  VARIABLE_NAME,
} from "../../../runtime/contract/limits.ts";
import { it, suite } from "../../helpers/suite.ts";

/** `max` of shapes of AWS's own model: botocore 1.44.5, `data/sagemaker/2017-07-24/service-2.json`. */
const MOST: readonly (readonly [shape: string, max: number, ours: number])[] = [
  ["HyperParameters", 100, HYPERPARAMETERS.most],
  ["HyperParameterKey", 256, HYPERPARAMETERS.nameLength],
  ["HyperParameterValue", 2500, HYPERPARAMETERS.valueLength],
  ["InputDataConfig", 20, MOST_CHANNELS],
  ["InstanceGroups", 5, MOST_INSTANCE_GROUPS],
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
  ["ProcessingInputs", 10, PROCESSING_DATA.most],
  ["ProcessingOutputs", 10, PROCESSING_DATA.most],
  ["ProcessingLocalPath", 256, PROCESSING_DATA.pathLength],
  ["FailureReason", 1024, REASON_LENGTH],
  ["ExitMessage", 1024, REASON_LENGTH],
  ["ProcessingInstanceCount", 100, MOST_INSTANCES.process],
  ["ProcessingMaxRuntimeInSeconds", 777600, LONGEST_RUN.process],
  ["ProcessingVolumeSizeInGB", 16384, LARGEST_VOLUME.process],
  ["TagList", 50, TAGS.most],
  ["TagKey", 128, TAGS.keyLength],
  ["TagValue", 256, TAGS.valueLength],
  ["Subnets", 16, NETWORK.subnets],
  ["VpcSecurityGroupIds", 5, NETWORK.securityGroups],
  ["SubnetId", 32, NETWORK.idLength],
  ["SecurityGroupId", 32, NETWORK.idLength],
  ["S3Uri", 1024, S3_URI_LENGTH],
  ["ServerlessMaxConcurrency", 200, SERVERLESS.mostAtOnce],
  ["ServerlessMemorySizeInMB", 6144, SERVERLESS.most],
  [
    "ProductionVariantContainerStartupHealthCheckTimeoutInSeconds",
    3600,
    HEALTH_CHECK_SECONDS.most,
  ],
  ["DestinationS3Uri", 512, CAPTURE_URI_LENGTH],
  ["AlarmList", 10, ALARMS.most],
  ["AlarmName", 255, ALARMS.nameLength],
];

/** `pattern` of the same, as it stands there. */
const PATTERNS: readonly (readonly [shape: string, pattern: string, ours: RegExp])[] = [
  ["TrainingJobName", "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", NAME],
  ["ProcessingJobName", "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", NAME],
  ["EndpointName", "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", NAME],
  ["TrainingEnvironmentKey", "[a-zA-Z_][a-zA-Z0-9_]*", VARIABLE_NAME],
  ["ProcessingEnvironmentKey", "[a-zA-Z_][a-zA-Z0-9_]*", VARIABLE_NAME],
  ["EnvironmentKey", "[a-zA-Z_][a-zA-Z0-9_]*", VARIABLE_NAME],
  ["SubnetId", "[-0-9a-zA-Z]+", NETWORK_ID],
  ["SecurityGroupId", "[-0-9a-zA-Z]+", NETWORK_ID],
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

  it("TagKey, TagValue and KmsKeyId have the patterns of AWS's own model", () => {
    const tag = /^([\p{L}\p{Z}\p{N}_.:/=+\-@]*)$/u;
    for (const text of ["", "mlcli.app", "Größe 1", "a=b", "repo@sha256:0a", "a,b", "a\n", "#"]) {
      assertEquals(isTagText(text), tag.test(text), text);
    }
    // An empty one, which the model allows, says nothing.
    for (const text of ["alias/churn", "1234abcd-12ab", "a b", "x".repeat(2049)]) {
      assertEquals(KMS_KEY.test(text), /^[a-zA-Z0-9:/_-]*$/.test(text) && text.length <= 2048);
    }
  });

  it("a training runs 28 days at most, by the words of CreateTrainingJob", () => {
    assertEquals(LONGEST_RUN.train, 2_419_200);
    assertEquals([MOST_INSTANCES.train, LARGEST_VOLUME.train], [undefined, undefined]);
  });

  it("ServerlessMemorySizeInMB and the health check have least values of AWS's own model", () => {
    assertEquals([SERVERLESS.least, HEALTH_CHECK_SECONDS.least], [1_024, 60]);
    assertEquals(MOST_INSTANCES.serve, undefined);
  });

  it("a request's body has the 25 MB of AWS's guide", () => {
    assertEquals(BODY_BYTES, 25 * 1024 * 1024);
    assertEquals(ASYNCHRONOUS_BODY_BYTES, 1024 ** 3);
  });

  it("what is rehearsed has the 6 MB of the API reference", () => {
    assertEquals(SURE_BODY_BYTES, 6 * 1024 * 1024);
  });

  it("times are those of AWS's guides", () => {
    assertEquals([PING_SECONDS, START_SECONDS, INVOCATION_SECONDS], [2, 4 * 60, 60]);
    assertEquals(STREAM_SECONDS, 8 * 60);
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
