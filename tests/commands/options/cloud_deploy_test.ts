import { assertEquals, assertThrows } from "@std/assert";
import {
  parseAlarm,
  parseCanary,
  parseCapture,
  parseConcurrency,
  parseEndpointName,
  parseHealthCheck,
  parseMemorySize,
  parseModel,
} from "../../../commands/options/cloud_deploy.ts";
import { parseInstances } from "../../../commands/options/job_parsers.ts";
import type { Parser } from "../../../commands/options/option.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const CAPTURE = `s3://bucket/${"x".repeat(500)}`;

const TAKEN: readonly (readonly [Parser<unknown>, text: string, value: unknown])[] = [
  [parseEndpointName, "shop-2", "shop-2"],
  [parseEndpointName, "a".repeat(54), "a".repeat(54)],
  [parseModel, "s3://bucket/a b/m.tar.gz", { address: { bucket: "bucket", key: "a b/m.tar.gz" } }],
  [parseModel, "s3://bucket/m/", { address: { bucket: "bucket", key: "m/" } }],
  [parseModel, "model", { directory: "model" }],
  [parseModel, ".", { directory: "." }],
  [parseModel, "/data/model", { directory: "/data/model" }],
  // Not a scheme: a drive, and a name with a colon.
  [parseModel, "s3", { directory: "s3" }],
  [parseModel, "./s3:/x", { directory: "./s3:/x" }],
  [parseModel, "a:b", { directory: "a:b" }],
  [parseModel, "C:\\model", { directory: "C:\\model" }],
  [parseModel, "C:/model", { directory: "C:/model" }],
  [parseInstances("serve"), "1000", 1000],
  [parseMemorySize, "1024", 1_024],
  [parseMemorySize, "6144", 6_144],
  [parseMemorySize, "2GB", 2_048],
  [parseConcurrency, "200", 200],
  [parseHealthCheck, "60", 60],
  [parseHealthCheck, "3600", 3_600],
  [parseCapture, "s3://bucket/captured", { bucket: "bucket", key: "captured" }],
  [parseCapture, CAPTURE, { bucket: "bucket", key: "x".repeat(500) }],
  [parseCanary, "1", 1],
  [parseCanary, "50", 50],
  [parseAlarm, "shop: 5xx errors", "shop: 5xx errors"],
  [parseAlarm, "a".repeat(255), "a".repeat(255)],
];

/** The parser, what it is given, words of the message, and of the hint where there is one. */
const REFUSED: readonly (readonly [Parser<unknown>, text: string, words: RegExp, hint?: RegExp])[] =
  [
    [parseEndpointName, "a_b", /Invalid endpoint name: "a_b"/, /letters, digits and hyphens/],
    [
      parseEndpointName,
      "a".repeat(55),
      /Endpoint name "a+" has 55 characters, but deploy accepts up to 54$/,
      /adds "-config-2"/,
    ],
    [parseModel, "s3://bucket", /must be an S3 URI such as/, /mlcli wait/],
    [parseModel, "s3://bucket/", /an S3 prefix that ends with \//, /mlcli wait/],
    [parseModel, "s3:/bucket/m.tar.gz", /must be an S3 URI such as/, /mlcli wait/],
    [parseModel, "S3://bucket/m.tar.gz", /must be an S3 URI such as/, /mlcli wait/],
    [parseModel, "https://bucket.s3.amazonaws.com/m.tar.gz", /an S3 URI such as s3:/, /mlcli wait/],
    [parseModel, "file:///model", /or a local directory, but got "file:/, /mlcli wait/],
    [parseInstances("serve"), "0", /a whole number, 1 or more, but got "0"/],
    [parseMemorySize, "1000", /a number of MB, 1024 to 6144 in steps of 1024, but got "1000"/],
    [parseMemorySize, "7168", /but got "7168"/],
    [parseMemorySize, "0", /but got "0"/],
    [parseMemorySize, "2.5g", /but got "2.5g"/],
    [parseMemorySize, "2048.0", /but got "2048.0"/],
    [parseConcurrency, "201", /a whole number, 1 to 200, but got "201"/],
    [parseConcurrency, "0", /1 to 200/],
    [
      parseHealthCheck,
      "59",
      /a duration of 60 to 3600 seconds, such as 90s, 5m or 1h, but got "59"/,
    ],
    [parseHealthCheck, "3601", /60 to 3600/],
    [parseCapture, "captured", /must be an S3 URI/],
    [parseCapture, `${CAPTURE}x`, /must have at most 512 characters, but has 513$/],
    [parseCanary, "51", /a whole number of percent, 1 to 50, but got "51"/],
    [parseCanary, "10%", /but got "10%"/],
    [parseAlarm, " ", /must be an alarm name of up to 255 characters/],
    [parseAlarm, "a".repeat(256), /an alarm name/],
    [parseAlarm, "a\nb", /an alarm name/],
    [
      parseAlarm,
      "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:5xx",
      /an alarm name/,
      /Use the name from the ARN: "5xx"$/,
    ],
  ];

suite("what the options of deploy take", () => {
  for (const [parse, text, value] of TAKEN) {
    it(`takes ${text.slice(0, 60)}`, () => assertEquals(parse(text, "Option"), value));
  }

  for (const [parse, text, words, hint] of REFUSED) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}, with what it takes`, () => {
      const error = assertThrows(() => parse(text, 'Option "--x"'), UsageError);
      assertEquals(words.test(error.message), true, error.message);
      assertEquals(hint?.test(error.hint ?? "") ?? error.hint === undefined, true, error.hint);
    });
  }
});
