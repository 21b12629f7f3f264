import { assertEquals } from "@std/assert";
import {
  awsImageIn,
  holdsToolkitByName,
  isAwsAccount,
} from "../../../runtime/contract/aws_images.ts";
import { it, suite } from "../../helpers/suite.ts";

const registry = (account: string, region: string) =>
  `${account}.dkr.ecr.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
const DLC = registry("763104351884", "us-east-1");
const SKLEARN = `${registry("683313688378", "us-east-1")}/sagemaker-scikit-learn:1.9-0`;

suite("AWS's own images", () => {
  it("lie in accounts of AWS's", () => {
    assertEquals(["763104351884", "683313688378", "727897471807"].map(isAwsAccount), [
      ...[true, true, true],
    ]);
    assertEquals(isAwsAccount("123456789012"), false);
  });

  for (
    const [image, region, expected] of [
      [SKLEARN, "us-east-1", undefined],
      [SKLEARN, undefined, undefined],
      [
        SKLEARN,
        "eu-west-1",
        `${registry("141502667606", "eu-west-1")}/sagemaker-scikit-learn:1.9-0`,
      ],
      [
        `${DLC}/pytorch-training:2.8-cpu`,
        "ap-east-1",
        `${registry("871362719292", "ap-east-1")}/pytorch-training:2.8-cpu`,
      ],
      [
        `${DLC}/pytorch-training@sha256:${"a".repeat(64)}`,
        "cn-north-1",
        `${registry("727897471807", "cn-north-1")}/pytorch-training@sha256:${"a".repeat(64)}`,
      ],
      // The right region, and the account of another.
      [
        `${registry("763104351884", "ap-east-1")}/pytorch-training:2.8-cpu`,
        undefined,
        `${registry("871362719292", "ap-east-1")}/pytorch-training:2.8-cpu`,
      ],
      [
        `${registry("111122223333", "us-east-1")}/sagemaker-xgboost:3.2-0`,
        undefined,
        `${registry("683313688378", "us-east-1")}/sagemaker-xgboost:3.2-0`,
      ],
      // A team's own repository.
      [`${registry("111122223333", "us-east-1")}/shop:1`, "eu-west-1", undefined],
      [
        "public.ecr.aws/deep-learning-containers/pytorch:2.13-cpu",
        "eu-west-1",
        `${registry("763104351884", "eu-west-1")}/pytorch:2.13-cpu`,
      ],
      ["public.ecr.aws/deep-learning-containers/pytorch:2.13-cpu", undefined, undefined],
      ["public.ecr.aws/docker/library/python:3.12", "eu-west-1", undefined],
      [`${DLC}/pytorch-training:2.8-cpu`, "mars-north-1", undefined],
      ["python:3.12", "eu-west-1", undefined],
    ] as const
  ) {
    it(`${image.slice(0, 70)} in ${region ?? "its own region"}`, () => {
      assertEquals(awsImageIn(image, region), expected);
    });
  }

  it("hold the toolkit, by their names", () => {
    assertEquals(holdsToolkitByName(SKLEARN), true);
    assertEquals(holdsToolkitByName(`${DLC}/pytorch-training:2.8-cpu`), false);
    // Anybody may give an image of theirs that name.
    assertEquals(holdsToolkitByName("sagemaker-scikit-learn:1.9-0"), false);
    const stranger = registry("111122223333", "us-east-1");
    assertEquals(holdsToolkitByName(`${stranger}/sagemaker-scikit-learn:1.9-0`), false);
  });
});
