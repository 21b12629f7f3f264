import { assertEquals } from "@std/assert";
import { processingFiles, trainingFiles } from "../../../runtime/contract/configuration_files.ts";
import { it, suite } from "../../helpers/suite.ts";

const RESOURCES = { current_host: "algo-1", hosts: ["algo-1"], network_interface_name: "eth0" };
const CHANNEL = {
  TrainingInputMode: "File",
  S3DistributionType: "FullyReplicated",
  RecordWrapperType: "None",
};

suite("configuration files", () => {
  it("of a training: hyperparameters, a key a channel, the host", () => {
    assertEquals(trainingFiles({ epochs: "3" }, ["training", "validation"]), {
      "hyperparameters.json": { epochs: "3" },
      "inputdataconfig.json": { training: CHANNEL, validation: CHANNEL },
      "resourceconfig.json": RESOURCES,
    });
    assertEquals(trainingFiles({}, [])["inputdataconfig.json"], {});
  });

  it("of a processing job: image, arguments, one input, one output, the host", () => {
    assertEquals(processingFiles("demo:v1", ["process", "a.py"]), {
      "processingjobconfig.json": {
        AppSpecification: { ImageUri: "demo:v1", ContainerArguments: ["process", "a.py"] },
        ProcessingInputs: [{
          InputName: "input",
          S3Input: { LocalPath: "/opt/ml/processing/input", S3InputMode: "File" },
        }],
        ProcessingOutputConfig: {
          Outputs: [{ OutputName: "output", S3Output: { LocalPath: "/opt/ml/processing/output" } }],
        },
      },
      "resourceconfig.json": RESOURCES,
    });
  });
});
