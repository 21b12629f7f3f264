import { assert, assertEquals } from "@std/assert";
import {
  accountOf,
  asDirectory,
  isRoleArn,
  jobArn,
  LOCAL_ACCOUNT,
  localRoleArn,
  parseS3Uri,
  s3Uri,
  within,
} from "../../../runtime/contract/addresses.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("addresses in S3", () => {
  for (
    const [text, expected] of [
      ["s3://data/churn/train.csv", { bucket: "data", key: "churn/train.csv" }],
      ["s3://data", { bucket: "data", key: "" }],
      ["s3://data/", { bucket: "data", key: "" }],
      ["s3://my.data-1/a b/ü?#%41", { bucket: "my.data-1", key: "a b/ü?#%41" }],
      ["s3://data//twice", { bucket: "data", key: "/twice" }],
      [`s3://data/${"k".repeat(1_024)}`, { bucket: "data", key: "k".repeat(1_024) }],
      [`s3://data/${"k".repeat(1_025)}`, undefined],
      [`s3://data/${"ü".repeat(513)}`, undefined],
      ["s3://ab", undefined],
      ["s3://Data/x", undefined],
      ["s3://data-/x", undefined],
      ["s3:///x", undefined],
      ["s3://data/..", undefined],
      ["s3://data/../other/x", undefined],
      ["s3://data/a/./b", undefined],
      ["s3://data/a..b/.c/...", { bucket: "data", key: "a..b/.c/..." }],
      ["s3://data/a\x1b[2J", undefined],
      ["s3://data/a\nb", undefined],
      ["s3://data/a\u202eb", undefined],
      ["s3:/data/x", undefined],
      ["S3://data/x", undefined],
      ["https://data/x", undefined],
      ["data/x", undefined],
      ["", undefined],
    ] as const
  ) {
    it(`${JSON.stringify(text.slice(0, 40))} is ${expected ? "one" : "none"}`, () => {
      assertEquals(parseS3Uri(text), expected);
    });
  }

  it("are written as they are read", () => {
    assertEquals(s3Uri({ bucket: "data", key: "churn/" }), "s3://data/churn/");
  });

  it("end with a slash as directories, unless they are a whole bucket", () => {
    const directories = ["", "churn", "churn/"].map((key) => asDirectory({ bucket: "data", key }));
    assertEquals(directories.map(({ key }) => key), ["", "churn/", "churn/"]);
  });

  it("lead into directories", () => {
    const keys = ["", "churn", "churn/"].map((key) => within({ bucket: "data", key }, "out"));
    assertEquals(keys.map(({ key }) => key), ["out", "churn/out", "churn/out"]);
  });
});

/** Regions, one of each partition at least. */
const REGIONS: readonly (readonly [region: string, partition: string])[] = [
  ["us-east-1", "aws"],
  ["us-west-2", "aws"],
  ["eu-central-1", "aws"],
  ["ap-southeast-5", "aws"],
  ["cn-north-1", "aws-cn"],
  ["cn-northwest-1", "aws-cn"],
  ["us-gov-west-1", "aws-us-gov"],
  ["us-iso-east-1", "aws-iso"],
  ["us-isob-east-1", "aws-iso-b"],
  ["eu-isoe-west-1", "aws-iso-e"],
  ["us-isof-south-1", "aws-iso-f"],
  ["eusc-de-east-1", "aws-eusc"],
];

/** `pattern` of shapes of AWS's own model (botocore 1.44.5). */
const TRAINING_JOB =
  /^arn:aws[a-z\-]*:sagemaker:[a-z0-9\-]*:[0-9]{12}:training-job\/[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$/;
const PROCESSING_JOB =
  /^arn:aws[a-z\-]*:sagemaker:[a-z0-9\-]*:[0-9]{12}:processing-job\/[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$/;
const ROLE = /^arn:aws[a-z\-]*:iam::\d{12}:role\/?[a-zA-Z_0-9+=,.@\-_/]+$/;

suite("Amazon Resource Names", () => {
  for (const [region, partition] of REGIONS) {
    it(`in ${region} are of the partition ${partition}, and as AWS's own model has them`, () => {
      const job = { name: "churn-2026-03-01-09-30-00-123", region };
      const [training, processing, role] = [
        jobArn("train", job),
        jobArn("process", job),
        localRoleArn(region),
      ];
      const start = `arn:${partition}:sagemaker:${region}:${LOCAL_ACCOUNT}:`;
      assertEquals(training, `${start}training-job/${job.name}`);
      assertEquals(processing, `${start}processing-job/${job.name}`);
      assertEquals(role, `arn:${partition}:iam::${LOCAL_ACCOUNT}:role/mlcli-local`);
      assert(TRAINING_JOB.test(training) && PROCESSING_JOB.test(processing) && ROLE.test(role));
    });
  }

  it("name an account, most of them", () => {
    assertEquals(accountOf("arn:aws:kms:eu-west-1:123456789012:key/x"), "123456789012");
    assertEquals(accountOf(localRoleArn("eu-west-1")), LOCAL_ACCOUNT);
    for (const text of ["arn:aws:s3:::bucket", "alias/x", ""]) {
      assertEquals(accountOf(text), undefined);
    }
  });

  it("of roles have pattern and length of AWS's own model", () => {
    const arn = "arn:aws:iam::123456789012:role";
    for (const text of [`${arn}/a`, `${arn}/path/A_b+=,.@-`, arn, `${arn}/a b`, "role/a"]) {
      assertEquals(isRoleArn(text), ROLE.test(text), text);
    }
    assertEquals([isRoleArn(`${arn}/`), isRoleArn(`${arn}/path/`)], [false, false]);
    const longest = `${arn}/`.padEnd(2_048, "x");
    assertEquals([isRoleArn(longest), isRoleArn(`${longest}x`)], [true, false]);
  });
});
