import { assertEquals, assertMatch } from "@std/assert";
import { baseImage, buildTestImage, containersOf, TEST_IMAGE } from "../helpers/engine.ts";
import { makeApp, type TestApp, TRAINING_OF_LINK } from "../helpers/app.ts";
import { namesIn } from "../helpers/directory.ts";
import { deployed } from "../helpers/server.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const SERVING = `
import os
def model_fn(model_dir):
    names = sorted(name for name in os.listdir(model_dir) if not name.startswith("."))
    with open(model_dir + "/current") as file: return [file.read(), names]
def predict_fn(input_data, model):
    return [input_data, model, os.access("/opt/ml/model", os.W_OK)]
`;

/** As the SageMaker SDK packs a directory: it is "/" in the archive. */
const PACK = `
import os, shutil, tarfile
with tarfile.open("packed", "w:gz") as archive: archive.add("model", arcname=os.path.sep)
shutil.rmtree("model")
os.mkdir("model")
os.rename("packed", "model/model.tar.gz")
open("model/.gitkeep", "w").close()
`;

async function trainedApp(): Promise<TestApp> {
  const app = await makeApp();
  const configuration = { image_name: TEST_IMAGE, base_image: baseImage() };
  await app.write(`${app.directory}/${app.name}.json`, JSON.stringify(configuration));
  assertEquals((await app.run(["init", app.name])).code, 0);
  await app.write(`${app.directory}/request.json`, "[7]");
  await app.write(app.path("training/training.py"), TRAINING_OF_LINK);
  await app.write(app.path("prediction/serve"), SERVING);
  const { code, stderr } = await app.run(["local", "train"]);
  assertEquals([code, stderr], [
    0,
    "warning: Training created links in /opt/ml/model: current; SageMaker cannot create a model " +
    "from an archive with links\nhint: Replace each link with a copy of its target\n",
  ]);
  return app;
}

async function pack(app: TestApp): Promise<void> {
  const { success } = await new Deno.Command("python3", {
    args: ["-c", PACK],
    cwd: app.testPath(),
  }).output();
  assertEquals(success, true);
}

async function answer(app: TestApp): Promise<string> {
  const port = await deployed(app);
  try {
    const invoked = await app.run(["local", "invoke", "request.json", "--port", port]);
    assertEquals([invoked.code, invoked.stderr], [0, ""]);
    return invoked.stdout;
  } finally {
    assertEquals((await app.run(["local", "stop", "--port", port])).code, 0);
  }
}

async function modelsOf(app: TestApp): Promise<readonly string[]> {
  return await namesIn(app.path("local_test/jobs/.unpacked")).catch(() => []);
}

suite("local deploy of a model.tar.gz", () => {
  beforeAll(buildTestImage);

  it("gives the same answers as the model that was packed", async () => {
    await using app = await trainedApp();
    const first = await answer(app);
    assertEquals(JSON.parse(first), {
      predictions: [[7], ["trained", ["current", "weights"]], false],
    });
    await pack(app);
    assertEquals(await answer(app), first);
  });

  it("fails where it is broken, with no container and no directory left", async () => {
    await using app = await trainedApp();
    await pack(app);
    const archive = app.testPath("model/model.tar.gz");
    await Deno.truncate(archive, (await Deno.stat(archive)).size - 5);
    const { code, stdout, stderr } = await app.run(["local", "deploy", "--port", "0"]);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: Cannot unpack \S+\/model\/model\.tar\.gz: its gzip data is damaged or incomplete .*\nhint: Download or copy the archive again\. If that does not help, pack it again: /,
    );
    assertEquals([await containersOf(app.name), await modelsOf(app)], [[], []]);
  });
});
