import { assert, assertEquals, assertMatch } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { type FakeContainer, fakeContainers } from "../../helpers/fake_containers.ts";
import {
  assertPlain,
  assertSaysNoRoom,
  contentOf,
  filling,
  moments,
  namesIn,
} from "../../helpers/full_disk.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { MAY_MOUNT, type SmallDisk, smallDisk } from "../../helpers/small_disk.ts";
import { it, suite } from "../../helpers/suite.ts";

const CONFIGURATION = { metric_definitions: [{ Name: "loss", Regex: "loss=(\\d+)" }] };
const PLACEHOLDER = { ".gitkeep": "kept\n" };
const OLD = { ...PLACEHOLDER, m: "old\n" };
const WEIGHTS = "n".repeat(5_000);
const NEW = { ...PLACEHOLDER, "new/": "", "new/weights": WEIGHTS };

function appOn(disk: SmallDisk): Promise<TestApp> {
  return completeApp({
    parent: disk.path,
    configuration: CONFIGURATION,
    files: {
      "local_test/test_dir/model/m": "old\n",
      "local_test/test_dir/model/.gitkeep": PLACEHOLDER[".gitkeep"],
      "local_test/test_dir/input/config/own.yaml": "a: 1\n",
    },
  });
}

/** The user's code: writes a model, says a metric, and fails where it has no room. */
function writesModel({ body, out, err, end }: FakeContainer): void {
  const model = body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/model")!.Source;
  try {
    Deno.mkdirSync(`${model}/new`);
    Deno.writeTextFileSync(`${model}/new/weights`, WEIGHTS);
  } catch {
    err("OSError: [Errno 28] No space left on device: '/opt/ml/model/new/weights'\n");
    return end(1);
  }
  out("loss=1\n");
  end(0);
}

/** That the app has this model and nothing half-written beside it. */
async function assertModel(app: TestApp, model: Readonly<Record<string, string>>): Promise<void> {
  assertEquals(await contentOf(app.testPath("model")), model);
  const beside = await namesIn(app.testPath());
  assertEquals(
    beside.filter((name) => !["input", "model", "model.failed", "output"].includes(name)),
    [],
  );
  const local = await namesIn(app.path("local_test"));
  assertEquals(local.filter((name) => !["jobs", "test_dir"].includes(name)), []);
}

/** That each record is whole, or is not there. */
async function assertRecords(app: TestApp): Promise<void> {
  const jobs = app.path("local_test/jobs");
  for (const [path, content] of Object.entries(await contentOf(jobs).catch(() => ({})))) {
    if (path === ".gitignore") assertEquals(content, "*\n");
    else if (path.endsWith("/job.json")) assertEquals(typeof JSON.parse(content).name, "string");
    else if (path.endsWith("/metrics.csv")) {
      assertMatch(content, /^time,metric,value\n.*,loss,1\n$/);
    } else if (path.endsWith("/metrics.svg")) assertMatch(content, /<\/svg>\n$/);
    else {
      assert(path.endsWith("/"), path);
      assert((await namesIn(`${jobs}/${path}`)).includes("job.json"), path);
    }
  }
}

// Root alone can mount a disk.
if (MAY_MOUNT) {
  suite("local train on a full disk keeps a whole model, and trains when there is room", () => {
    for (const moment of moments({ blocks: 13, files: 24, calls: 8 })) {
      it(moment.title, async () => {
        await using disk = await smallDisk();
        await using app = await appOn(disk);
        await using engine = await fakeContainers({
          program: writesModel,
          before: filling(disk, moment),
        });
        if (moment.call === 0) await disk.leave(moment.room);
        const train = () => runInProcess(["local", "train"], { cwd: app.directory, engine });
        const result = await train();
        assertPlain(result.stderr, disk);
        assertEquals(engine.left, []);
        if (result.code === 0) await assertModel(app, NEW);
        else {
          await assertModel(app, OLD);
          if (engine.created.length === 0) assertSaysNoRoom(result, disk);
          assertMatch(result.stderr, /^hint: [^]*\b(room|space|full)\b/m);
        }
        await assertRecords(app);

        await disk.leave({});
        assertEquals(await train(), { code: 0, stdout: "loss=1\n", stderr: "" });
        await assertModel(app, NEW);
        await assertRecords(app);
      });
    }
  });
}
