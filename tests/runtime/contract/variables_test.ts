import { assertEquals } from "@std/assert";
import {
  pathVariables,
  regionVariables,
  trainingVariables,
} from "../../../runtime/contract/variables.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("variables", () => {
  it("name the specification's paths, and leave SM_* to the image", () => {
    assertEquals(pathVariables(), {
      ML_MODEL_DIR: "/opt/ml/model",
      ML_INPUT_DIR: "/opt/ml/input",
      ML_OUTPUT_DIR: "/opt/ml/output",
      ML_CHANNEL_TRAINING: "/opt/ml/input/data/training",
    });
  });

  it("name the region, and a training", () => {
    assertEquals(regionVariables("eu-west-1"), { AWS_REGION: "eu-west-1" });
    assertEquals(trainingVariables({ name: "job-1", region: "cn-north-1" }), {
      TRAINING_JOB_NAME: "job-1",
      TRAINING_JOB_ARN: "arn:aws-cn:sagemaker:cn-north-1:000000000000:training-job/job-1",
    });
  });
});
