import { assertEquals } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { baseImage, withoutApp } from "../helpers/engine.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const FILES = {
  "common/features.py": "WORD = 'one'\n",
  // The role's own counts, where both have the name.
  "common/own.py": "WHO = 'common'\n",
  "training/own.py": "WHO = 'training'\n",
  "training/training.py": `
import pickle, features, own
class Model:
    pass
def train(data, model):
    print("train", features.WORD, own.WHO)
    pickle.dump(features.WORD, open(model + "/model", "wb"))
`,
  "processing/steps/clean.py": `
import features, own
print("process", features.WORD, own.WHO)
open("/opt/ml/processing/output/x", "w").close()
`,
  "prediction/serve": `
import features, own
def model_fn(model_dir):
    return features
def predict_fn(data, model):
    return ["serve", model.WORD, own.WHO]
`,
  [TRAINING_DATA]: "1,2\n",
  "local_test/test_dir/input/data/processing/p.csv": "1\n",
};

suite("code that training, processing and prediction share", () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await makeApp({
      configuration: { base_image: baseImage() },
      files: { ...FILES, "../../body.json": "{}" },
    });
    for (const args of [["init", app.name], ["build"]]) {
      const { code, stderr } = await app.run(args);
      assertEquals({ args, code, stderr }, { args, code: 0, stderr });
    }
  });
  afterAll(async () => await app?.[Symbol.asyncDispose]());

  /** What each of the three imported. */
  async function found(...more: readonly string[]): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const args of [["train"], ["process", "-f", "steps/clean.py"], ["deploy", "-p", "0"]]) {
      const { code, stdout, stderr } = await app.run(["local", ...args, ...more]);
      assertEquals({ args, code, stderr }, { args, code: 0, stderr: "" });
      lines.push(stdout.trim());
    }
    const { port } = new URL(lines.pop()!);
    const invoke = ["local", "invoke", "body.json", "-p", port, "--accept", "text/csv"];
    try {
      const { stdout } = await app.run(invoke);
      return [...lines, stdout.trim().replaceAll("\n", " ")];
    } finally {
      await app.run(["local", "stop", "-p", port]);
    }
  }

  it("is found by all of them as it is now, and by --strict as the image has it", async () => {
    await app.write(app.path("common/features.py"), "WORD = 'two'\n");
    assertEquals(await found(), ["train two training", "process two common", "serve two common"]);
    // Otherwise --strict would be against code that differs from the image's.
    await withoutApp(`${app.name}:latest`);
    assertEquals(await found("--strict"), [
      "train one training",
      "process one common",
      "serve one common",
    ]);
  });
});
