import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import { baseImage, buildTestImage, containersOf, removeImage } from "../../helpers/engine.ts";
import { eventually } from "../../helpers/eventually.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { type StudioSpace, studioSpace } from "../../helpers/studio.ts";
import { afterAll, afterEach, beforeAll, it, suite } from "../../helpers/suite.ts";
import { TextReader } from "../../helpers/text_reader.ts";

const TRAINING = `
import json, os, socket
def train(data, model):
    with open("/opt/ml/input/config/resourceconfig.json") as file: host = json.load(file)["current_host"]
    # AWS's training toolkit waits for that.
    print(host, bool(socket.gethostbyname(host)), os.environ["SM_STUDIO_LOCAL_MODE"])
    with open(model + "/model.txt", "w") as file: file.write("seven")
    os.chmod(model + "/model.txt", 0o600)
`;

const SERVING = `
def model_fn(model_dir):
    with open(model_dir + "/model.txt") as file: return file.read()
def predict_fn(data, model): return VERSION + model
def output_fn(prediction, accept): return prediction, "text/plain"
VERSION = "one "
`;

const PROCESSING = 'open("/opt/ml/processing/output/table.csv", "w").close()\n';

// Its user sees a file system of its own, which root alone can make.
if (Deno.uid() === 0) {
  suite("in SageMaker Studio", () => {
    let space: StudioSpace;
    let app: TestApp;
    const run = (...args: string[]): Promise<ProgramResult> => space.user.run(args, app.directory);

    beforeAll(async () => {
      await buildTestImage();
      space = await studioSpace();
      app = await makeApp({
        parent: space.user.home,
        files: {
          "training/training.py": TRAINING,
          "prediction/serve": SERVING,
          "processing/p.py": PROCESSING,
          [TRAINING_DATA]: "1,2\n",
          "local_test/test_dir/input/data/processing/p.csv": "1\n",
        },
      });
      const configuration = { image_name: app.name, base_image: baseImage() };
      await app.write(`${app.directory}/${app.name}.json`, JSON.stringify(configuration));
      await space.user.owns(app.directory);
    });
    afterEach(() => space.requireEcr(false));
    afterAll(async () => {
      await app?.[Symbol.asyncDispose]();
      if (app) await removeImage(`${app.name}:latest`);
      await space?.[Symbol.asyncDispose]();
    });

    it("an app is made, built, trained, processed, served and looked at", async () => {
      const init = await run("init", app.name);
      assertEquals(init.code, 0, init.stderr);
      // What is found are servers by mlcli's own code: the app's stays.
      const build = await run("build");
      assertEquals(build.code, 0, build.stderr);
      const train = await run("local", "train");
      assertEquals({ ...train, stderr: "" }, {
        code: 0,
        stdout: "sagemaker-local True True\n",
        stderr: "",
      });
      const model = await Deno.stat(app.testPath("model/model.txt"));
      assertEquals(model.uid, space.user.uid);
      const process = await run("local", "process", "-f", "p.py");
      assertEquals(process.code, 0, process.stderr);
      assertEquals((await Deno.stat(app.testPath("output/table.csv"))).uid, space.user.uid);
    });
  });
}
