import { assertEquals } from "@std/assert";
import { missingModelFileHint } from "../../../../runtime/local/server/model_files.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("missingModelFileHint", () => {
  const hintOf = async (error: string, files: Readonly<Record<string, string>>) => {
    await using model = await makeDirectory({ ".gitkeep": "", ...files });
    return missingModelFileHint(["bye", error], model.path);
  };
  const errors: Readonly<Record<string, readonly [error: string, missing: string | undefined]>> = {
    // https://github.com/aws-samples/end-to-end-object-detection-detectron2-sagemaker/issues/1
    Python: [
      "FileNotFoundError: [Errno 2] No such file or directory: '/opt/ml/model/m.pth'",
      "m.pth",
    ],
    // https://github.com/aws-samples/amazon-sagemaker-local-mode/issues/15
    "AWS's containers library": [
      "sagemaker_containers._errors.ClientError: [Errno 2] No such file or directory: " +
      "'/opt/ml/model/xgboost-model'",
      "xgboost-model",
    ],
    Keras: [
      "ValueError: File not found: filepath=/opt/ml/model/m.keras. Please ensure the file is an " +
      "accessible `.keras` zip file.",
      "m.keras",
    ],
    TensorFlow: [
      "OSError: SavedModel file does not exist at: /opt/ml/model/{saved_model.pbtxt|saved_model.pb}",
      undefined,
    ],
    // https://github.com/huggingface/transformers/issues/24687
    transformers: [
      "OSError: Error no file named pytorch_model.bin, tf_model.h5, model.ckpt.index or " +
      "flax_model.msgpack found in directory /opt/ml/model.",
      undefined,
    ],
    LightGBM: ["lightgbm.basic.LightGBMError: Could not open /opt/ml/model/m.txt", "m.txt"],
    ONNX: [
      "onnxruntime.NoSuchFile: [ONNXRuntimeError] : 3 : NO_SUCHFILE : Load model from " +
      "/opt/ml/model/m.onnx failed.File doesn't exist",
      "m.onnx",
    ],
  };
  for (const [library, [error, missing]] of Object.entries(errors)) {
    it(`missingModelFileHint names the files of the model for an error of ${library}`, async () => {
      const save = missing === undefined ? "" : `, or save ${missing} in training`;
      const files = { "model.joblib": "", "v1/meta.json": "" };
      assertEquals(
        await hintOf(error, files),
        `Load one of model.joblib, v1/meta.json from /opt/ml/model${save}`,
      );
    });
  }

  const [python] = errors["Python"]!;
  it("missingModelFileHint names at most three files", async () => {
    assertEquals(
      await hintOf(python, { a: "", b: "", c: "", d: "", e: "" }),
      "Load one of a, b, c and 2 more from /opt/ml/model, or save m.pth in training",
    );
  });

  it("missingModelFileHint names the command that trains if the model is empty", async () => {
    assertEquals(
      await hintOf(python, {}),
      "Train a model (mlcli local train): /opt/ml/model is empty",
    );
  });

  it("missingModelFileHint returns undefined for a file that the model has", async () => {
    await using model = await makeDirectory({ "model.safetensors": "" });
    const error = "KeyError: 'tensor not found in /opt/ml/model/model.safetensors'";
    assertEquals(missingModelFileHint([error], model.path), undefined);
  });

  it("missingModelFileHint returns undefined for other errors, and if the directory is unknown", async () => {
    const other = "FileNotFoundError: [Errno 2] No such file or directory: '/opt/ml/modelling/x'";
    assertEquals(await hintOf(other, {}), undefined);
    assertEquals(await hintOf("KeyError: '/opt/ml/model/x'", {}), undefined);
    assertEquals(missingModelFileHint([python], undefined), undefined);
  });
});
