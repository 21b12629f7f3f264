import { assertEquals } from "@std/assert";
import {
  pathVariables,
  regionVariables,
  trainingVariables,
} from "../../../runtime/contract/variables.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("variables", () => {
  it("name the specification's paths, and SM_* the same", () => {
    assertEquals(pathVariables(), {
      ML_MODEL_DIR: "/opt/ml/model",
      ML_INPUT_DIR: "/opt/ml/input",
      ML_OUTPUT_DIR: "/opt/ml/output",
      ML_CHANNEL_TRAINING: "/opt/ml/input/data/training",
      SM_MODEL_DIR: "/opt/ml/model",
      SM_INPUT_DIR: "/opt/ml/input",
      SM_INPUT_CONFIG_DIR: "/opt/ml/input/config",
      SM_OUTPUT_DIR: "/opt/ml/output",
      SM_OUTPUT_DATA_DIR: "/opt/ml/output/data",
      SM_CHANNEL_TRAINING: "/opt/ml/input/data/training",
    });
  });

  it("name the region where there is one, and a training", () => {
    assertEquals([regionVariables(undefined), regionVariables("eu-west-1")], [
      {},
      { AWS_REGION: "eu-west-1" },
    ]);
    assertEquals(trainingVariables("job-1"), { TRAINING_JOB_NAME: "job-1" });
  });
});
