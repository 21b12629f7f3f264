import { assertEquals } from "@std/assert";
import { consoleAddress, resourceIn } from "../../../runtime/contract/console.ts";
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

suite("a thing on SageMaker, as it is named", () => {
  const [kind, name, region] = ["training-job", "Churn-1", "eu-west-1"] as const;
  const page = (path: string, host = "eu-west-1.console.aws.amazon.com") =>
    `https://${host}/sagemaker/home?region=eu-west-1#/${path}`;
  const rows: readonly (readonly [string, ReturnType<typeof resourceIn>])[] = [
    ["training-job/Churn-1", { kind, name, region: undefined }],
    ["processing-job/a", { kind: "processing-job", name: "a", region: undefined }],
    ["endpoint/a", { kind: "endpoint", name: "a", region: undefined }],
    ["model/a", { kind: "model", name: "a", region: undefined }],
    [arn("aws", region, "training-job/Churn-1"), { kind, name, region }],
    [arn("aws-cn", "cn-north-1", "model/a"), { kind: "model", name: "a", region: "cn-north-1" }],
    [page("jobs/Churn-1"), { kind, name, region }],
    [page("processing-jobs/a"), { kind: "processing-job", name: "a", region }],
    [page("endpoints/a"), { kind: "endpoint", name: "a", region }],
    [page("models/a"), { kind: "model", name: "a", region }],
    [page("jobs/Churn-1", "console.aws.amazon.com"), { kind, name, region }],
    [page("jobs/Churn-1?tab=x"), { kind, name, region }],
    // A directory, or nothing that an app can be made of.
    ["./training-job/a", undefined],
    ["training-job/a/b", undefined],
    ["training-job/", undefined],
    ["transform-job/a", undefined],
    [arn("aws", region, "transform-job/a"), undefined],
    [`training-job/${"a".repeat(64)}`, undefined],
    ["training-job/a\n", undefined],
    ["training-job/a b", undefined],
    [page("jobs/../a"), undefined],
    [page("constructor/a"), undefined],
    ["https://evil.example/sagemaker/home?region=eu-west-1#/jobs/a", undefined],
    ["", undefined],
  ];
  for (const [text, expected] of rows) {
    it(`${JSON.stringify(text)}: ${expected?.kind}`, () => {
      assertEquals(resourceIn(text), expected);
    });
  }
});
