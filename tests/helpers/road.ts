/**
 * An app whose image is built and pushed, and a platform in a box that runs it: what the tests of the
 * road to the platform and back begin with.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp } from "./app.ts";
import { Box, type BoxOptions } from "./box/box.ts";
import { EXECUTION_ROLE } from "./box/jobs/job_store.ts";
import { runCloud } from "./cloud.ts";
import { baseImage } from "./engine.ts";
import type { ProgramResult } from "./program.ts";

/** Holds the data, three numbers in two files below `numbers/`, and all of the app's. */
export const ROAD_BUCKET = "road-data";

/** Fails or waits where a hyperparameter says so. */
const TRAINING = `
import json, os, pathlib, signal, time

def train(input_data_path, model_save_path, hyperparameters):
    files = sorted(pathlib.Path(input_data_path).iterdir())
    numbers = [float(line) for file in files for line in file.read_text().split()]
    host = os.environ["SM_CURRENT_HOST"]
    print(f"{len(numbers)} numbers on {host}")
    model = pathlib.Path(model_save_path, "model.json")
    kept = pathlib.Path("/opt/ml/checkpoints/epoch")
    if kept.exists():
        print(f"goes on after epoch {kept.read_text()}")
    mode = hyperparameters.get("mode")
    if mode == "hosts":
        model = model.with_name(host)
    if mode in ("raise", f"raise on {host}"):
        raise ValueError("no such column: price")
    if mode == "memory":
        held = [bytearray(16 * 2**20) for _ in range(100)]
    if mode == "wait":
        def save(*_):
            model.write_text("1")
            raise SystemExit(0)
        signal.signal(signal.SIGTERM, save)
        print("waiting")
        time.sleep(120)
    if mode == "checkpoint" and not kept.exists():
        kept.write_text("7")
        print("kept a checkpoint")
        time.sleep(120)
    model.write_text(json.dumps(sum(numbers) / max(len(numbers), 1)))
`;

const SERVING = `
import json, pathlib

def model_fn(model_dir):
    return json.loads(pathlib.Path(model_dir, "model.json").read_text())

def input_fn(body, content_type):
    return float(body)

def predict_fn(number, model):
    return number * model

def output_fn(prediction, accept):
    return str(prediction)
`;

const PROCESSING = `
import pathlib, sys

def process():
    for file in pathlib.Path("/opt/ml/processing/input").iterdir():
        numbers = [float(line) * float(sys.argv[1]) for line in file.read_text().split()]
        out = pathlib.Path("/opt/ml/processing/output", file.name)
        out.write_text("".join(f"{number}\\n" for number in numbers))
        print(f"{file.name}: {len(numbers)} numbers")

if __name__ == "__main__":
    process()
`;

/** The app and the platform. */
export interface Road extends AsyncDisposable {
  readonly app: TestApp;
  readonly box: Box;
  /** Runs the program in the app's directory. */
  run(...args: readonly string[]): Promise<ProgramResult>;
  /** Runs it, and returns its result without the end of its line; fails where it fails. */
  done(...args: readonly string[]): Promise<string>;
}

/** Opens the platform, makes the app, builds its image and pushes it. */
export async function openRoad(options: BoxOptions): Promise<Road> {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(
    await makeApp({
      configuration: {
        base_image: baseImage(),
        s3_prefix: `s3://${ROAD_BUCKET}/app`,
        execution_role: EXECUTION_ROLE,
      },
    }),
  );
  const box = stack.use(await Box.open({ registry: true, ...options }));
  box.s3.createBucket(ROAD_BUCKET);
  await box.s3.put(ROAD_BUCKET, "numbers/a.txt", "1\n2\n");
  await box.s3.put(ROAD_BUCKET, "numbers/b.txt", "6\n");
  const run = (...args: readonly string[]): Promise<ProgramResult> =>
    runCloud(box, args, {
      cwd: app.directory,
      env: { DOCKER_HOST: Deno.env.get("DOCKER_HOST") }, // of the engine that the tests run on
    });
  const done = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    assertEquals(code, 0, `mlcli ${args.join(" ")}: ${stderr}`);
    return stdout.trimEnd();
  };
  await done("init", app.name);
  await app.write(app.path("training/training.py"), TRAINING);
  await app.write(app.path("prediction/serve"), SERVING);
  await app.write(app.path("processing/scale.py"), PROCESSING);
  assertEquals(await done("build"), `${app.name}:latest`);
  assertMatch(await done("push"), new RegExp(`/${app.name}@sha256:[0-9a-f]{64}$`));
  const all = stack.move();
  return { app, box, run, done, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
