import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import {
  buildTestImage,
  containersOf,
  TEST_IMAGE,
  untilNoContainers,
  withEngine,
} from "../../helpers/engine.ts";
import { engineFront } from "../../helpers/engine_front.ts";
import { resultOf } from "../../helpers/program.ts";
import { lastRun } from "../../helpers/runs.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";
import { TextReader } from "../../helpers/text_reader.ts";

/** Has begun, and goes on until it is ended. */
const TRAINING = `
import time
def train(input_data_path, model_save_path):
    open(model_save_path + "/checkpoint", "w").close()
    print("ready", flush=True)
    time.sleep(600)
`;

/** Takes longer to load than anybody waits for, where it is told to. */
const SERVE = `
import os, time
def model_fn(model_dir): time.sleep(int(os.environ.get("LOADING", "0")))
def predict_fn(data, model): return data
`;

function appWithImage(): Promise<TestApp> {
  return completeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { "training/training.py": TRAINING, "prediction/serve": SERVE },
  });
}

/**
 * Removes what a run could not. The engine may be at it already, since it gets what was asked of it
 * while it was frozen: then a removal returns at once, and the container is there for a while.
 */
async function removeContainers(app: TestApp): Promise<void> {
  for (const { Id } of await containersOf(app.name)) {
    await withEngine((engine) => engine.removeContainer(Id));
  }
  await untilNoContainers(app.name);
}

suite("an engine that hangs", () => {
  beforeAll(buildTestImage);

  /** What is left is said, and the next run clears it. */
  async function frozenTraining(): Promise<void> {
    await using front = await engineFront(() => "pass");
    await using app = await appWithImage();
    const child = app.start(["local", "train", "--grace", "1"], { env: front.env });
    const stdout = new TextReader(child.stdout);
    await stdout.until(/ready/);
    front.freeze();
    child.kill("SIGINT");
    const stderr = await new TextReader(child.stderr).toEnd();
    await stdout.toEnd();
    assertEquals((await child.status).code, 130, stderr);
    const [name = ""] = /mlcli-\S+-train-\S+/.exec(stderr) ?? [];
    assertStringIncludes(stderr, `hint: Remove it when the engine responds: docker rm -f ${name}`);
    const run = await lastRun(app);
    assertStringIncludes(stderr, run.slice(app.directory.length + 1));
    // It is true.
    assertEquals((await containersOf(app.name)).map(({ State }) => State), ["running"]);
    await Deno.stat(`${run}/owner`);

    front.thaw();
    await removeContainers(app);
    const next = await app.run(["local", "process", "--file", "p.py"], { env: front.env });
    assertEquals(next.code, 0, next.stderr);
    assertMatch(next.stderr, /its model is in \S+\/jobs\/\S+\/model/);
    assertEquals(await Deno.stat(`${run}/owner`).then(() => true, () => false), false);
  }

  /** The time limit holds, and the server is named. */
  async function frozenDeploy(): Promise<void> {
    await using front = await engineFront(({ call }) => {
      if (/^POST .*\/wait$/.test(call)) front.freeze();
      return "pass";
    });
    await using app = await appWithImage();
    const { code, stdout, stderr } = await app.run(
      ["local", "deploy", "--port", "0", "--timeout", "1", "--env", "LOADING=600"],
      { env: front.env, timeout: 50_000 },
    );
    assertEquals([code, stdout], [1, ""], stderr);
    assertMatch(
      stderr,
      /^error: The server did not return 200 for \/ping within 1 s \(the Docker Engine does not/m,
    );
    assertMatch(stderr, /docker rm -f mlcli-\S+-serve-\d+\n/);
    front.thaw();
    await removeContainers(app);
  }

  /** A server that lasts as long as mlcli does is named. */
  async function frozenForeground(): Promise<void> {
    await using front = await engineFront(() => "pass");
    await using app = await appWithImage();
    const args = ["local", "deploy", "--foreground", "--port", "0"];
    const child = app.start(args, { env: front.env, timeout: 50_000 });
    const stdout = new TextReader(child.stdout);
    await stdout.until(/http:/);
    front.freeze();
    child.kill("SIGINT");
    const stderr = await new TextReader(child.stderr).toEnd();
    await stdout.toEnd();
    assertEquals((await child.status).code, 130, stderr);
    assertMatch(stderr, /docker rm -f mlcli-\S+-serve-\d+\n/);
    front.thaw();
    await removeContainers(app);
  }

  /** What is waited for is said after a while. */
  async function waitingIsSaid(): Promise<void> {
    await using front = await engineFront(({ call }) =>
      call === "GET /containers/json" ? "hang" : "pass"
    );
    await using app = await appWithImage();
    // At once: each waits for ten seconds.
    await Promise.all(["status", "stop", "logs"].map(async (command) => {
      const child = app.start(["local", command], { env: front.env });
      const stderr = new TextReader(child.stderr);
      await stderr.until(/^Waiting for the Docker Engine \(listing containers\)\n/);
      child.kill("SIGINT");
      assertMatch(await stderr.toEnd(), /^Waiting [^\n]*\n$/);
      assertEquals((await child.status).code, 130);
      await child.stdout.cancel();
    }));
  }

  it("or freezes, in a training, a deploy or at once, is waited for no longer", async () => {
    // At the same time: they spend theirs waiting.
    await Promise.all([frozenTraining(), frozenDeploy(), frozenForeground(), waitingIsSaid()]);
  });

  const rows = [
    ["GET /images/", ["local", "train"]],
    ["GET /images/", ["build"]],
    ["GET /info", ["doctor"]],
  ] as const;
  for (const [hanging, args] of rows) {
    it(`ends mlcli ${args.join(" ")} at one Ctrl-C, before there is a container`, async () => {
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      await using front = await engineFront(({ call }) => {
        if (!call.startsWith(hanging)) return "pass";
        resolve();
        return "hang";
      });
      await using app = await appWithImage();
      const child = app.start(args, { env: front.env, timeout: 30_000 });
      const result = resultOf(child);
      await Promise.race([asked, result]); // it may end, wrongly, without having asked
      child.kill("SIGINT");
      const { code, stderr } = await result;
      assertEquals(code, 130, stderr);
      assert(!stderr.includes("error"), stderr);
      assertEquals(await containersOf(app.name), []);
    });
  }
});
