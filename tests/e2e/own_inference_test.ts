import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { makeApp, type TestApp } from "../helpers/app.ts";
import {
  buildImage,
  buildTestImage,
  containersOf,
  pipImage,
  removeImage,
  removeVolumes,
  TEST_IMAGE,
} from "../helpers/engine.ts";
import { INFERENCE, inferenceImage } from "../helpers/inference_image.ts";
import { makeWheel } from "../helpers/package_index.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";
import { TextReader } from "../helpers/text_reader.ts";

const NAME = `mlcli-test-inference-${crypto.randomUUID().slice(0, 8)}`;
const IMAGE = `${NAME}:aws`;

/** An app with a model, and code beside it in \`src/\`. */
async function inferenceApp(): Promise<TestApp> {
  const app = await makeApp({
    configuration: {
      image: IMAGE,
      cloud_region: "eu-west-1",
      deploy: { entry_point: "inference.py", source_dir: "src" },
    },
  });
  await app.write(join(app.directory, "src/inference.py"), INFERENCE);
  await app.write(join(app.directory, "src/neighbour.py"), "NAME = 'beside'\n");
  await app.write(app.testPath("model/weights"), "42");
  await typed(app);
  return app;
}

/** An image that is not AWS's is typed once. */
async function typed(app: TestApp): Promise<void> {
  assertEquals((await app.run(["init", app.name, "--image", IMAGE])).code, 0);
  await app.write(join(app.directory, "rows.csv"), "1,2\n");
}

/** Starts a server on a free port, asks it, and stops it. */
async function served(app: TestApp, args: readonly string[], ...words: readonly string[]) {
  const started = await app.run(["local", "deploy", "--port", "0", "--timeout", "60", ...args]);
  assertEquals(started.code, 0, started.stderr);
  const port = started.stdout.trim().split(":").at(-1)!;
  const asked = ["local", "invoke", "--port", port, "rows.csv", ...words];
  const { code, stdout, stderr } = await app.run(asked);
  assertEquals(code, 0, stderr);
  assertEquals((await app.run(["local", "stop", "--port", port])).code, 0);
  assertEquals(await containersOf(app.name), []);
  return { answer: stdout.trim(), said: started.stderr, asked: stderr };
}

/** What runs and servers leave in an app. */
async function leftIn(app: TestApp): Promise<readonly string[]> {
  const names = await Array.fromAsync(Deno.readDir(app.testPath("../jobs/.unpacked")))
    .catch(() => []);
  return names.map(({ name }) => name);
}

suite("an inference.py of the user's own", () => {
  beforeAll(async () => {
    await buildImage(IMAGE, inferenceImage(pipImage()));
  });
  afterAll(() => removeImage(IMAGE));

  it("is served beside the model, with the variables that AWS's images read", async () => {
    await using app = await inferenceApp();
    const { answer, said, asked } = await served(app, [], "-H", "Target-Model=a.tar.gz");
    assertEquals(answer, "beside 42 eu-west-1 ['code', 'weights'] a.tar.gz");
    assertEquals([said, asked], ["", ""]);
    // The model has not changed, and the view of it is gone.
    const names = Array.from(Deno.readDirSync(app.testPath("model")), ({ name }) => name);
    assertEquals(names.filter((name) => !name.startsWith(".")), ["weights"]);
    assertEquals(await leftIn(app), []);
    const strict = await served(app, ["--strict"]);
    assertEquals(strict.answer, "beside 42 eu-west-1 ['code', 'weights']");
  });

  it("takes the place of the model's own code, which is said; links and archives are models, too", async () => {
    await using app = await inferenceApp();
    await app.write(app.testPath("model/code/neighbour.py"), "NAME = 'old'\n");
    await app.write(app.testPath("model/code/old.py"), "");
    const { answer, said } = await served(app, []);
    assertEquals(answer, "beside 42 eu-west-1 ['code', 'weights']");
    assertMatch(said, /^note: Replacing code\/ in \S+test_dir\/model with src\n$/);
    assertEquals(await Deno.readTextFile(app.testPath("model/code/old.py")), "");
    const model = app.testPath("model");
    const packing = new Deno.Command("tar", {
      args: ["-C", model, "-czf", join(app.directory, "model.tar.gz"), "code", "weights"],
    });
    assertEquals((await packing.output()).code, 0);
    for (const name of ["code", "weights"]) {
      await Deno.remove(join(model, name), { recursive: true });
    }
    await Deno.rename(join(app.directory, "model.tar.gz"), join(model, "model.tar.gz"));
    const archived = await served(app, []);
    assertEquals(archived.answer, "beside 42 eu-west-1 ['code', 'weights']");
    assertMatch(archived.said, /^note: Replacing code\/ in \S+\/model\.tar\.gz with src\n$/);
    assertEquals(await leftIn(app), []);
  });

  it("installs what it asks for, from where this machine finds packages", async () => {
    await using app = await inferenceApp();
    const wheel = await makeWheel("mlcli_probe", "1.0");
    await app.write(join(app.directory, "src/requirements.txt"), `./${wheel.name}\n`);
    await Deno.writeFile(join(app.directory, "src", wheel.name), wheel.bytes);
    await app.write(
      join(app.directory, "src/neighbour.py"),
      "from mlcli_probe import __name__ as NAME\n",
    );
    try {
      assertEquals((await served(app, [])).answer.split(" ")[0], "mlcli_probe");
    } finally {
      assertEquals((await removeVolumes(app.name)).length, 1);
    }
  });

  it("is watched", async () => {
    await using app = await inferenceApp();
    const child = app.start(["local", "deploy", "--watch", "--port", "0"]);
    const [out, err] = [new TextReader(child.stdout), new TextReader(child.stderr)];
    const [, port = ""] = await out.until(/^http:\/\/localhost:(\d+)\n/);
    out.toEnd();
    const asked = async () =>
      (await app.run(["local", "invoke", "--port", port, "rows.csv"])).stdout.split(" ")[0];
    assertEquals(await asked(), "beside");
    // Weights are many gigabytes.
    const [view] = await leftIn(app);
    const inode = (path: string) => Deno.statSync(app.testPath(path)).ino;
    assertEquals(inode(`../jobs/.unpacked/${view}/weights`), inode("model/weights"));
    await app.write(join(app.directory, "src/neighbour.py"), "NAME = 'edited'\n");
    await err.until(/src\/neighbour\.py edited: new server ready in/);
    assertEquals(await asked(), "edited");
    child.kill("SIGINT");
    await err.toEnd();
    assertEquals((await child.status).code, 130);
    assertEquals(await leftIn(app), []);
  });

  it("may have no model; an image of mlcli's has no entry point", async () => {
    await using app = await makeApp({ configuration: { image: IMAGE } });
    await typed(app);
    const { answer, said } = await served(app, []);
    assertEquals(answer, "no code: .gitkeep");
    assertMatch(said, /^note: \S+test_dir\/model contains no model\n$/);
    await buildTestImage();
    await using own = await makeApp({ configuration: { image_name: TEST_IMAGE } });
    await own.write(own.testPath("model/weights"), "42");
    await own.write(join(own.directory, "inference.py"), "");
    const refused = await own.run(["local", "deploy", "--entry-point", "inference.py"]);
    assertEquals(refused.code, 1);
    assertMatch(refused.stderr, /^error: \S+ runs prediction\/serve, not an entry point\n/);
    assertEquals(await leftIn(own), []);
    const missing = await app.run(["local", "deploy", "--entry-point", "inference.py"]);
    assertEquals(missing.code, 1);
    assertMatch(missing.stderr, /^error: Entry point not found: inference\.py\n/);
  });
});
