import { assertEquals, assertThrows } from "@std/assert";
import {
  parseAddress,
  parseAwsTag,
  parseChannelAddress,
  parseInstances,
  parseInstanceType,
  parseJobName,
  parseKmsKey,
  parseNetworkId,
  parseRole,
  parseRun,
  parseVolume,
} from "../../../commands/options/job_parsers.ts";
import type { Parser } from "../../../commands/options/option.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROLE = "arn:aws:iam::123456789012:role/a";

const TAKEN: readonly (readonly [Parser<unknown>, text: string, value: unknown])[] = [
  [parseInstanceType, "ml.m5.large", "ml.m5.large"],
  [parseInstanceType, "ml.m7i-flex.2xlarge", "ml.m7i-flex.2xlarge"],
  [parseInstances("train"), "1000", 1000],
  [parseInstances("process"), "100", 100],
  [parseVolume("process"), "16384", 16_384],
  [parseVolume("train"), "20000", 20_000],
  [parseRun("train"), "2419200", 2_419_200],
  [parseRun("process"), "777600", 777_600],
  [parseJobName, "churn-A", "churn-A"],
  [parseRole, ROLE, ROLE],
  [
    parseRole,
    "arn:aws-cn:iam::123456789012:role/p/q/A+=,.@-_",
    "arn:aws-cn:iam::123456789012:role/p/q/A+=,.@-_",
  ],
  [parseAddress, "s3://bucket/a b", { bucket: "bucket", key: "a b" }],
  [parseChannelAddress, "x=s3://bucket/k", { name: "x", address: { bucket: "bucket", key: "k" } }],
  [parseAwsTag, "team=a=b", { key: "team", value: "a=b" }],
  [parseAwsTag, "cost center=", { key: "cost center", value: "" }],
  [parseNetworkId, "subnet-0a1B", "subnet-0a1B"],
  [parseKmsKey, "alias/a_b", "alias/a_b"],
];

/** The parser, what it is given, words of the message, and of the hint where there is one. */
const REFUSED: readonly (readonly [Parser<unknown>, text: string, words: RegExp, hint?: RegExp])[] =
  [
    [
      parseInstanceType,
      "m5.large",
      /must be an instance type such as ml.m5.large, but got "m5.large"/,
    ],
    [parseInstanceType, "ml.m5", /but got "ml.m5"/],
    [
      parseInstanceType,
      "TOKEN=secret",
      /must be an instance type .* but got an environment variable$/,
      /--env/,
    ],
    [parseInstances("train"), "0", /a whole number, 1 or more, but got "0"/],
    [parseInstances("process"), "101", /a whole number, 1 to 100, but got "101"/],
    [parseInstances("train"), "1.5", /but got "1.5"/],
    [parseInstances("train"), "0x2", /but got "0x2"/],
    [parseInstances("train"), "9".repeat(30), /1 or more/],
    [parseVolume("process"), "16385", /a size of 1 to 16384 GB/],
    [parseVolume("train"), "-1", /a size of 1 or more GB/],
    [parseRun("train"), "2419201", /a duration of 1 to 2419200 seconds/],
    [parseRun("process"), "777601", /1 to 777600/],
    [parseJobName, "a_b", /Invalid job name: "a_b"/, /letters, digits and hyphens/],
    [parseRole, "SageMakerRole", /must be the ARN of a role, such as arn:aws:iam/],
    [parseRole, `${ROLE} `, /must be the ARN/],
    [parseRole, `${ROLE}${"x".repeat(2_048)}`, /must be the ARN/],
    [parseAddress, "data", /must be an S3 URI/],
    [parseAddress, `s3://bucket/${"x".repeat(1_013)}`, /must be an S3 URI/],
    [
      parseChannelAddress,
      "data",
      /must be \[CHANNEL=\]s3/,
      /mlcli upload-data.*mlcli local train/,
    ],
    [parseChannelAddress, "a b=s3://bucket/k", /must be \[CHANNEL=\]s3/, /Use 1 to 64 letters/],
    [
      parseAwsTag,
      "v2",
      /must be an AWS tag, KEY=VALUE, but got "v2"/,
      /use -t or --docker-tag/,
    ],
    [parseAwsTag, "=a", /must be KEY=VALUE of letters/],
    [parseAwsTag, "aws:a=b", /not starting with aws:/],
    [parseAwsTag, "a=b,c", /must be KEY=VALUE/],
    [parseAwsTag, `${"k".repeat(129)}=`, /up to 128/],
    [parseAwsTag, `k=${"v".repeat(257)}`, /VALUE: up to 256/],
    [parseNetworkId, "subnet_1", /must be an ID/],
    [parseNetworkId, "x".repeat(33), /up to 32/],
    [parseKmsKey, "a b", /must be the ID, ARN or alias of a KMS key/],
    [parseKmsKey, "", /must be the ID/],
  ];

suite("what options of jobs take", () => {
  for (const [parse, text, value] of TAKEN) {
    it(text.slice(0, 30), () => assertEquals(parse(text, 'Option "--x"'), value));
  }

  for (const [parse, text, words, hint] of REFUSED) {
    it(`not ${JSON.stringify(text.slice(0, 30))}: ${words}`, () => {
      const error = assertThrows(() => parse(text, 'Option "--x"'), UsageError);
      assertEquals([error.message, words.test(error.message)], [error.message, true]);
      assertEquals([error.hint, hint?.test(error.hint ?? "") ?? error.hint === undefined], [
        error.hint,
        true,
      ]);
    });
  }
});
