import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import { contentOf, namesIn } from "../../helpers/directory.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../../helpers/engine.ts";
import { assertPlain, moments } from "../../helpers/full_disk.ts";
import { deployed } from "../../helpers/server.ts";
import { denoDirectory } from "../../helpers/program.ts";
import { MAY_MOUNT, type SmallDisk, smallDisk } from "../../helpers/small_disk.ts";
import { unfinishedRuns } from "../../helpers/runs.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";

const TRAINING = `
import os
def train(data, model):
    os.mkdir(model + "/new")
    with open(model + "/new/weights", "w") as file:
        file.write("n" * 5000)
    print("trained", flush=True)
`;

const SERVING = `
import os
def model_fn(model_dir): return model_dir
def predict_fn(input_data, model): return sorted(n for n in os.listdir(model) if n[0] != ".")
`;

const KEPT = { ".gitkeep": "kept\n" };
const OLD = { ...KEPT, old: "old\n" };
const NEW = { ...KEPT, "new/": "", "new/weights": "n".repeat(5_000) };

function appOn(disk: SmallDisk, training = TRAINING): Promise<TestApp> {
  return makeApp({
    parent: disk.path,
    configuration: { image_name: TEST_IMAGE },
    files: {
      "training/training.py": training,
      "prediction/serve": SERVING,
      [TRAINING_DATA]: "1,2\n",
      "local_test/test_dir/model/old": OLD.old,
      "local_test/test_dir/model/.gitkeep": KEPT[".gitkeep"],
    },
  });
}

async function served(app: TestApp): Promise<string> {
  const port = await deployed(app);
  const response = await fetch(`http://127.0.0.1:${port}/invocations`, {
    method: "POST",
    headers: { "Content-Type": "text/csv", Accept: "application/json" },
    body: "1\n",
  });
  const answer = await response.text();
  assertEquals((await app.run(["local", "stop", "-p", port])).code, 0);
  return answer;
}

async function assertNothingLeft(app: TestApp): Promise<void> {
  assertEquals(await containersOf(app.name), []);
  const beside = await namesIn(app.testPath());
  assertEquals(
    beside.filter((name) => !["input", "model", "output"].includes(name)),
    [],
  );
  assertEquals(await unfinishedRuns(app), []);
}

// Root alone can mount a disk.
if (MAY_MOUNT) {
  suite("a full disk, on a real engine", () => {
    beforeAll(buildTestImage);

    // In milliseconds, and of each moment: tests/commands/local/full_disk_test.ts.
    for (const { title, room } of moments({ blocks: 14, files: 26 }, 20)) {
      it(`leaves a whole model with ${title}, and trains when there is more`, async () => {
        await using disk = await smallDisk();
        await using app = await appOn(disk);
        await disk.leave(room);
        const { code, stderr } = await app.run(["local", "train"]);
        assertPlain(stderr, disk);
        if (code !== 0) assertMatch(stderr, /^hint: [^]*\b(room|space|full)\b/m);
        assertEquals(await contentOf(app.testPath("model")), code === 0 ? NEW : OLD);
        await assertNothingLeft(app);
        await disk.leave({});
        const again = await app.run(["local", "train"]);
        assertEquals(again, { code: 0, stdout: "trained\n", stderr: "" });
        assertEquals(await contentOf(app.testPath("model")), NEW);
        await assertNothingLeft(app);
      });
    }

    it("that the user's code fills leaves the earlier model, which is served then", async () => {
      const fills = TRAINING.replace(
        "    print(",
        `    with open("/opt/ml/output/data/log", "w") as file:
        while True: file.write("x" * 65536)
    print(`,
      );
      await using disk = await smallDisk();
      await using app = await appOn(disk, fills);
      await disk.leave({ blocks: 200 });
      const { code, stderr } = await app.run(["local", "train"]);
      assertEquals(code, 1, stderr);
      assertMatch(stderr, /^OSError: \[Errno 28\] No space left on device$/m);
      assertMatch(stderr, /^hint: Free some space on the disk that contains the app, /m);
      assertEquals(await contentOf(app.testPath("model")), OLD);
      await assertNothingLeft(app);
      assertEquals(await served(app), '{"predictions": ["old"]}');
      // Without any room it runs no more; the code's own file is what takes it.
      await Deno.remove(app.testPath("output/data/log"));
      await app.write(app.path("training/training.py"), TRAINING);
      assertEquals((await app.run(["local", "train"])).code, 0);
      assertEquals(await contentOf(app.testPath("model")), NEW);
      assertEquals(await served(app), '{"predictions": ["new"]}');
    });

    it("with HOME and all temporary files is in the way of nothing", async () => {
      await using disk = await smallDisk();
      await using own = await smallDisk();
      await using app = await appOn(own);
      await disk.leave({ blocks: 0, files: 0 });
      // From source, Deno keeps what it has compiled.
      const env = { HOME: disk.path, TMPDIR: disk.path, DENO_DIR: denoDirectory() };
      const train = await app.run(["local", "train"], { env });
      assertEquals(train, { code: 0, stdout: "trained\n", stderr: "" });
      assertEquals(await namesIn(disk.path), []);
    });

    it("of the container, /dev/shm, is told from the app's", async () => {
      const shares = `
import mmap, os
def train(data, model):
    if os.environ["HOW"] == "write":
        open("/dev/shm/x", "wb").write(b"x" * 4_000_000)
    with open("/dev/shm/x", "wb") as file: file.truncate(4_000_000)
    with open("/dev/shm/x", "r+b") as file:
        shared = mmap.mmap(file.fileno(), 4_000_000)
        for at in range(0, 4_000_000, 4096): shared[at] = 1
`;
      await using disk = await smallDisk();
      await using app = await appOn(disk, shares);
      for (const [how, status] of [["write", 1], ["map", 135]] as const) {
        const args = ["local", "train", "--shm-size", "1m", "--env", `HOW=${how}`];
        const { code, stderr } = await app.run(args);
        assertEquals(code, status, stderr);
        assertMatch(stderr, /^hint: .*\/dev\/shm/m);
        assertMatch(stderr, /^hint: .*--shm-size/m);
      }
    });
  });
}
