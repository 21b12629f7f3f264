import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { namesIn } from "../helpers/directory.ts";
import { buildTestImage, TEST_IMAGE } from "../helpers/engine.ts";
import { otherUser } from "../helpers/other_user.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** Long enough, in seconds, for a busy machine to start the code; which then waits to be stopped. */
const SOON = "3";

/** Trains step by step, from the last checkpoint on; stops after SIGTERM, with one more. */
const TRAINING = `
import os, signal, time
CHECKPOINT = "/opt/ml/checkpoints/step"

def train(data, model):
    step = int(open(CHECKPOINT).read()) if os.path.exists(CHECKPOINT) else 0
    print("from", step, flush=True)
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    while step < 1 or os.environ.get("UNTIL", "stopped") == "stopped":
        step += 1
        time.sleep(0.01)
        if stopped: break
    with open(CHECKPOINT, "w") as file: file.write("7")
    if not stopped: open(model + "/model.txt", "w").close()
`;

function trainingApp(code: string, parent?: string): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    ...(parent === undefined ? {} : { parent }),
    files: {
      "training/training.py": code,
      [TRAINING_DATA]: "1,2\n",
      "local_test/test_dir/model/old": "",
    },
  });
}

suite("mlcli local train --stop-after", () => {
  beforeAll(buildTestImage);

  it("stops as SageMaker does, tells what was saved, and the next run resumes", async () => {
    await using app = await trainingApp(TRAINING);
    const path = `${app.name}/mlcli_base/local_test/test_dir`;
    const first = await app.run(["local", "train", "--stop-after", SOON]);
    assertEquals([first.code, first.stdout], [0, "from 0\n"], first.stderr);
    const [stopping, stopped, there] = first.stderr.split("\n");
    assertMatch(stopping!, /^Stopping \(up to 120 s; /);
    assertMatch(
      stopped!,
      /^Stopped training after 3 s, as SageMaker does\. It exited \d+\.\d s after SIGTERM: exit code 0\.$/,
    );
    assertEquals(there, `Saved so far: ${path}/checkpoints (1 file)`);
    // It wrote no model, and none took the place of the earlier one.
    assertEquals(await namesIn(app.testPath("model")), ["old"]);

    const more = ["local", "train", "--stop-after", "60", "--env", "UNTIL=done"];
    const second = await app.run(more);
    assertEquals(second, {
      code: 0,
      stdout: "from 7\n",
      stderr: "Training exited within 60 s, before it was stopped\n",
    });
    assertEquals(await namesIn(app.testPath("model")), ["model.txt"]);
    assertEquals(await namesIn(app.testPath("checkpoints")), ["step"]);
  });

  it("leaves checkpoints that are the caller's", async () => {
    await using user = await otherUser();
    await using app = await trainingApp(TRAINING, user.home);
    await user.owns(app.directory);
    const args = ["local", "train", "--checkpoints", "--env", "UNTIL=done"];
    const { code, stderr } = await user.run(args, app.directory);
    assertEquals([code, stderr], [0, ""]);
    for (const name of ["checkpoints", "checkpoints/step"]) {
      assertEquals((await Deno.lstat(app.testPath(name))).uid, user.uid, name);
    }
  });
});
