import { assertEquals } from "@std/assert";
import {
  HOST,
  isKeptOutput,
  JOBS,
  PATHS,
  processingArguments,
  SERVER_PORT,
  SERVING_ARGUMENTS,
  TRAINING_ARGUMENTS,
} from "../../../runtime/contract/jobs.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("jobs", () => {
  it("start an image with SageMaker's arguments", () => {
    assertEquals([TRAINING_ARGUMENTS, SERVING_ARGUMENTS], [["train"], ["serve"]]);
    assertEquals(processingArguments("steps/clean.py"), ["process", "steps/clean.py"]);
    assertEquals([SERVER_PORT, HOST], [8080, "algo-1"]);
  });

  it("give the reason of a failure in SageMaker's files", () => {
    assertEquals(JOBS, {
      train: { title: "Training", reasonFile: "failure" },
      process: { title: "Processing", reasonFile: "message" },
    });
  });

  it("leave to SageMaker what it keeps of the output", () => {
    const names = ["data", "failure", "message", "metrics", "profiler", "tensors"]
      // Of TensorBoard, and of AWS's training toolkit.
      .concat("tensorboard", "success");
    assertEquals(names.filter((name) => !isKeptOutput(name)), []);
    assertEquals(["metrics.json", "Data", "data2", "model", ""].filter(isKeptOutput), []);
  });

  it("have the paths of the specification's table, and the configuration's", () => {
    assertEquals(PATHS, {
      code: "/opt/ml/code",
      input: "/opt/ml/input",
      inputConfiguration: "/opt/ml/input/config",
      inputData: "/opt/ml/input/data",
      model: "/opt/ml/model",
      output: "/opt/ml/output",
      outputData: "/opt/ml/output/data",
      checkpoints: "/opt/ml/checkpoints",
      configuration: "/opt/ml/config",
      processingInput: "/opt/ml/processing/input",
      processingCode: "/opt/ml/processing/input/code",
      processingOutput: "/opt/ml/processing/output",
    });
  });
});
