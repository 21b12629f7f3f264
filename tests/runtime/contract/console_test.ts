import { assertEquals } from "@std/assert";
import { consoleAddress } from "../../../runtime/contract/console.ts";
import { it, suite } from "../../helpers/suite.ts";

const arn = (partition: string, region: string, what: string) =>
  `arn:${partition}:sagemaker:${region}:123456789012:${what}`;

suite("the address in the console", () => {
  it("is that of the partition, the region and the kind", () => {
    const rows: readonly (readonly [string, string, string])[] = [
      [
        arn("aws", "eu-west-1", "training-job/churn"),
        "churn",
        "https://eu-west-1.console.aws.amazon.com/sagemaker/home?region=eu-west-1#/jobs/churn",
      ],
      [
        arn("aws", "us-east-1", "processing-job/clean-2"),
        "clean-2",
        "https://us-east-1.console.aws.amazon.com/sagemaker/home?region=us-east-1" +
        "#/processing-jobs/clean-2",
      ],
      // An ARN has small letters.
      [
        arn("aws-cn", "cn-north-1", "endpoint/churn"),
        "Churn",
        "https://cn-north-1.console.amazonaws.cn/sagemaker/home?region=cn-north-1#/endpoints/Churn",
      ],
      [
        arn("aws-us-gov", "us-gov-west-1", "endpoint/churn"),
        "churn",
        "https://console.amazonaws-us-gov.com/sagemaker/home?region=us-gov-west-1#/endpoints/churn",
      ],
    ];
    for (const [arn, name, address] of rows) assertEquals(consoleAddress(arn, name), address);
  });

  it("is none where the ARN is not one of a job or an endpoint, or says another name", () => {
    const rows: readonly (readonly [string | undefined, string])[] = [
      [undefined, "churn"],
      ["", ""],
      [arn("aws-iso", "us-iso-east-1", "endpoint/churn"), "churn"],
      [arn("aws", "eu-west-1", "model/churn"), "churn"],
      [arn("aws", "eu-west-1", "constructor/churn"), "churn"],
      [arn("aws", "eu-west-1", "endpoint/churn"), "other"],
      [arn("aws", "evil.example/?", "endpoint/churn"), "churn"],
      [arn("aws", "eu-west-1", "endpoint/a b"), "a b"],
      [arn("aws", "eu-west-1", "endpoint/a\x1b[31m"), "a\x1b[31m"],
      [arn("aws", "eu-west-1", "endpoint/-a"), "-a"],
      [arn("aws", "eu-west-1", "endpoint/../x"), "../x"],
      [`${arn("aws", "eu-west-1", "endpoint/churn")}\n`, "churn"],
      [arn("aws", "eu-west-1", `endpoint/${"a".repeat(64)}`), "a".repeat(64)],
    ];
    for (const [arn, name] of rows) assertEquals(consoleAddress(arn, name), undefined);
  });
});
