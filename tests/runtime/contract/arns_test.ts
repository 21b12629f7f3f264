import { assert, assertEquals } from "@std/assert";
import { isRoleArn, jobArn, LOCAL_ACCOUNT, localRoleArn } from "../../../runtime/contract/arns.ts";
import { it, suite } from "../../helpers/suite.ts";

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
