/** An app on a disk that may be full, for tests of what is left there. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { completeApp, type TestApp } from "./app.ts";
import type { FakeContainer } from "./fake_containers.ts";
import { contentOf, namesIn } from "./directory.ts";
import type { SmallDisk } from "./small_disk.ts";

const CONFIGURATION = { metric_definitions: [{ Name: "loss", Regex: "loss=(\\d+)" }] };
const PLACEHOLDER = { ".gitkeep": "kept\n" };
export const OLD = { ...PLACEHOLDER, m: "old\n" };
/** What a training writes: more than a block. */
export const WEIGHTS = "n".repeat(5_000);
/** The model that it has after a training. */
export const NEW = { ...PLACEHOLDER, "new/": "", "new/weights": WEIGHTS };

export function appOn(disk: SmallDisk): Promise<TestApp> {
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

/** What a container has mounted at a path. */
export function sourceOf({ body }: Pick<FakeContainer, "body">, path: string): string {
  return body.HostConfig.Mounts.find(({ Target }) => Target === path)!.Source;
}

/** The user's code: writes a model, says a metric, and fails where it has no room. */
export function writesModel({ body, out, err, end }: FakeContainer): void {
  const model = sourceOf({ body }, "/opt/ml/model");
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

/** What may be in `test_dir/` when no run is on. */
const BESIDE = ["checkpoints", "input", "model", "output"];

/** That the app has this model and nothing half-written beside it. */
export async function assertModel(
  app: TestApp,
  model: Readonly<Record<string, string>>,
): Promise<void> {
  assertEquals(await contentOf(app.testPath("model")), model);
  const beside = await namesIn(app.testPath());
  assertEquals(
    beside.filter((name) => !BESIDE.includes(name)),
    [],
  );
  const local = await namesIn(app.path("local_test"));
  assertEquals(local.filter((name) => !["jobs", "test_dir"].includes(name)), []);
}

/** That each record is whole, or is not there. */
export async function assertRecords(app: TestApp): Promise<void> {
  const jobs = app.path("local_test/jobs");
  for (const [path, content] of Object.entries(await contentOf(jobs).catch(() => ({})))) {
    if (path === ".gitignore") assertEquals(content, "*\n");
    else if (
      path.startsWith(".") || /^(kept-.*|code\/)/.test(path) || /\/(model\/.*|log)$/.test(path)
    ) continue;
    else if (path.endsWith("/job.json")) assertEquals(typeof JSON.parse(content).name, "string");
    else if (path.endsWith("/metrics.csv")) {
      assertMatch(content, /^time,metric,value\n.*,loss,1\n$/);
    } else {
      assert(path.endsWith("/"), path);
      // What a run wrote stays, also where its record had no room.
      const names = await namesIn(`${jobs}/${path}`);
      assert(names.includes("job.json") || names.includes("model"), path);
    }
  }
}
