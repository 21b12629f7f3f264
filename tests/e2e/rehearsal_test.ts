import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** Counts its runs in a checkpoint, and at SIGTERM does what the test says. */
function checkpointing(onTerminate: string, then = "while True: time.sleep(0.05)"): string {
  return `
import os, signal, sys, time
CHECKPOINT = "/opt/ml/checkpoints/runs"
def train(data, model):
    runs = 0
    if os.path.exists(CHECKPOINT):
        with open(CHECKPOINT) as file: runs = int(file.read())
    print("resumed after", runs, flush=True)
    def save(*_):
        with open(CHECKPOINT, "w") as file: file.write(str(runs + 1))
        with open(model + "/partial", "w") as file: file.write(str(runs))
    def terminated(*_):
        ${onTerminate}
    signal.signal(signal.SIGTERM, terminated)
    ${then}
`;
}

function trainingApp(code: string): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: {
      "training/training.py": code,
      [TRAINING_DATA]: "1\n",
      "local_test/test_dir/model/earlier": "",
    },
  });
}

async function names(path: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(path), ({ name }) => name)).sort();
}

suite("a rehearsal of a stop", () => {
  beforeAll(buildTestImage);

  it("stops as the platform does, and a second run goes on from the checkpoint", async () => {
    await using app = await trainingApp(checkpointing("save(); sys.exit(0)"));
    for (const runs of [0, 1]) {
      const { code, stdout, stderr } = await app.run(["local", "train", "--stop-after", "1"]);
      assertEquals([code, stdout], [0, `resumed after ${runs}\n`], stderr);
      assertMatch(stderr, /^Stopping, up to 120 s; /);
      assertMatch(
        stderr,
        /^Stopped after 1 s, as the platform stops a training\. It ended \d+\.\d s after SIGTERM: exit status 0\.$/m,
      );
      assertMatch(stderr, /^There now: \S+\/model \(1 file\), \S+\/checkpoints \(1 file\)$/m);
      assertEquals(await Deno.readTextFile(app.testPath("model/partial")), String(runs));
    }
    assertEquals(await names(app.testPath("model")), ["partial"]);
    assertEquals(await containersOf(app.name), []);
  });

  it("kills code that does not end, as the platform does, and keeps the model", async () => {
    await using app = await trainingApp(checkpointing("save()"));
    const args = ["local", "train", "--stop-after", "1", "--grace", "1"];
    const { code, stderr } = await app.run(args);
    assertEquals(code, 137, stderr);
    assertMatch(stderr, /^error: Training did not end within 1 s: exit status 137 /m);
    assertEquals(await names(app.testPath("model")), ["earlier"]);
    assertEquals(await names(app.testPath("model.failed")), ["partial"]);
    assertEquals(await containersOf(app.name), []);
  });
});

suite("checkpoints", () => {
  beforeAll(buildTestImage);

  it("are kept for the next run where they are asked for, and are not there else", async () => {
    await using app = await trainingApp(
      checkpointing("pass", 'os.makedirs("/opt/ml/checkpoints", exist_ok=True); save()'),
    );
    for (
      const [args, runs] of [[[], 0], [["--checkpoints"], 0], [["--checkpoints"], 1], [
        [],
        0,
      ]] as const
    ) {
      const { code, stdout, stderr } = await app.run(["local", "train", ...args]);
      assertEquals([code, stdout], [0, `resumed after ${runs}\n`], stderr);
    }
    assertEquals(await Deno.readTextFile(app.testPath("checkpoints/runs")), "2");
  });
});
