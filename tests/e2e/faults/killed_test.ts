import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../../helpers/engine.ts";
import { engineFront } from "../../helpers/engine_front.ts";
import { programCommand, resultOf } from "../../helpers/program.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";

const FILES = {
  [TRAINING_DATA]: "1\n",
  "local_test/test_dir/model/m": "earlier",
  "training/training.py": "def train(data, model): open(model + '/m', 'w').write('new')\n",
  "prediction/serve": "def model_fn(model_dir): return 1\ndef predict_fn(data, model): return 1\n",
};

function app(): Promise<TestApp> {
  return makeApp({ configuration: { image_name: TEST_IMAGE }, files: FILES });
}

/** Runs a command that is killed when its container is there and is not started yet. */
async function killedBeforeStart(app: TestApp, args: readonly string[]): Promise<void> {
  const reached = Promise.withResolvers<void>();
  await using front = await engineFront(({ call }) => {
    if (!/^POST \/containers\/\w+\/start$/.test(call)) return "pass";
    reached.resolve();
    return "hang";
  });
  const child = app.start(args, { env: front.env });
  await reached.promise;
  child.kill("SIGKILL");
  await resultOf(child);
  assertEquals((await containersOf(app.name)).map(({ State }) => State), ["created"]);
}

suite("mlcli killed before it started its container", () => {
  beforeAll(buildTestImage);

  it("blocks no port: the next deploy clears it", async () => {
    await using own = await app();
    const [{ stdout }] = [await own.run(["local", "deploy", "--port", "0"])];
    const { port } = new URL(stdout.trim());
    await own.run(["local", "stop", "--port", port]);
    await killedBeforeStart(own, ["local", "deploy", "--port", port]);
    const { code, stderr } = await own.run(["local", "deploy", "--port", port]);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals((await containersOf(own.name)).map(({ State }) => State), ["running"]);
    assertEquals((await own.run(["local", "stop", "--port", port])).code, 0);
  });

  it("leaves a training's container and directory to the next run, which clears both", async () => {
    await using own = await app();
    await killedBeforeStart(own, ["local", "train"]);
    const { code, stderr } = await own.run(["local", "train"]);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(await containersOf(own.name), []);
    const names = await Array.fromAsync(Deno.readDir(own.path("local_test")), ({ name }) => name);
    assertEquals(names.sort(), ["jobs", "test_dir"]);
    const left = await Array.fromAsync(Deno.readDir(own.testPath()), ({ name }) => name);
    assertEquals(left.sort(), ["input", "model", "output"]);
    assertEquals(await Deno.readTextFile(own.testPath("model/m")), "new");
  });
});

suite("a server whose address cannot be written", () => {
  beforeAll(buildTestImage);

  it("runs on, and is named on standard error: /dev/full", async () => {
    await using own = await app();
    const command = programCommand(["local", "deploy", "--port", "0"]);
    const { code, stderr } = await new Deno.Command("sh", {
      args: ["-c", 'exec "$@" > /dev/full', "sh", ...command],
      cwd: own.directory,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    const [container] = await containersOf(own.name);
    const port = container!.Labels["mlcli.port"];
    const said = new TextDecoder().decode(stderr);
    assertEquals([code, container!.State], [1, "running"], said);
    assertStringIncludes(said, `The server is running on http://localhost:${port}\n`);
    assertStringIncludes(said, "error: Cannot write to standard output: No space left on device\n");
    assertEquals((await own.run(["local", "stop", "--port", port!])).code, 0);
  });
});
