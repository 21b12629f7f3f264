import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../../helpers/engine.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { runsOf } from "../../helpers/runs.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";
import { WHOLE } from "../../helpers/sweep.ts";

/** How many run at once: with `--all`, and by default. */
const [TRAININGS, DEPLOYS] = WHOLE ? [20, 10] : [4, 3];

const PARTS = ["a", "b", "c"];

/** A model in parts, each of which says whose it is. */
const MODEL = Object.fromEntries(
  PARTS.map((part) => [`local_test/test_dir/model/${part}`, "earlier"]),
);

/** Waits until all trainings have begun; then it writes a model, raises, or ends with a status. */
const TRAINING = `
import os, sys, time
def train(data, model, hyperparameters):
    number, count = hyperparameters["number"], hyperparameters["count"]
    begun = "/opt/ml/output/data/begun"
    os.makedirs(begun, exist_ok=True)
    open("%s/%d" % (begun, number), "w").close()
    deadline = time.monotonic() + 100
    while len(os.listdir(begun)) < count:
        if time.monotonic() > deadline: sys.exit("the others do not begin")
        time.sleep(0.05)
    if number % 3 == 1: raise ValueError("the reason of %d." % number)
    if number % 3 == 2: sys.exit(100 + number)
    for part in "abc":
        with open(os.path.join(model, part), "w") as file: file.write(str(number))
`;

const SERVING = `
import os
def model_fn(model_dir): return [open(os.path.join(model_dir, part)).read() for part in "abc"]
def predict_fn(data, model): return model
`;

async function makeBusyApp(): Promise<TestApp> {
  return await makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: {
      ...MODEL,
      [TRAINING_DATA]: "1\n",
      "training/training.py": TRAINING,
      "prediction/serve": SERVING,
    },
  });
}

const OPTIONS = { timeout: 400_000 };

/** What training of this number says and ends with. */
function assertOwnEnd(number: number, { code, stderr }: ProgramResult): void {
  const reasons = [...stderr.matchAll(/the reason of (\d+)\./g)].map(([, of]) => Number(of));
  if (number % 3 === 1) {
    assertEquals(code, 1, stderr);
    assertEquals(new Set(reasons), new Set([number]), stderr);
    assertMatch(stderr, /^error: Training failed: ValueError: the reason of/m);
  } else {
    assertEquals(code, number % 3 === 0 ? 0 : 100 + number, stderr);
    assertEquals(reasons, [], stderr);
  }
}

/** The number that all parts of a model say; fails where they differ. */
function oneOf(parts: readonly string[]): string {
  assertEquals(parts.length, PARTS.length);
  assertEquals(new Set(parts).size, 1, `a model of several: ${parts}`);
  return parts[0]!;
}

/** Names beside what belongs there. */
async function besides(path: string, usual: readonly string[]): Promise<readonly string[]> {
  const names = await Array.fromAsync(Deno.readDir(path), ({ name }) => name);
  return names.filter((name) => !usual.includes(name));
}

async function assertRecords(app: TestApp): Promise<void> {
  const names = await runsOf(app);
  const ends = await Promise.all(names.map(async (name) => {
    const text = await Deno.readTextFile(app.path("local_test/jobs", name, "job.json"));
    const { hyperparameters, outcome, ended } = JSON.parse(text);
    assert(ended, text);
    return [Number(hyperparameters.number), outcome.exit_status];
  }));
  const expected = Array.from({ length: TRAININGS }, (_, number) => [
    number,
    [0, 1, 100 + number][number % 3],
  ]);
  assertEquals(ends.sort(([a], [b]) => a - b), expected);
}

suite("one app, many commands at once", () => {
  beforeAll(buildTestImage);

  it("many trainings and deploys: each ends as it should, and one whole model is in place", async () => {
    await using app = await makeBusyApp();
    const trainings = Array.from({ length: TRAININGS }, (_, number) => {
      const given = [`number=${number}`, `count=${TRAININGS}`].flatMap((one) => [
        "--hyperparameter",
        one,
      ]);
      return app.run(["local", "train", ...given], OPTIONS);
    });
    const deploys = Array.from(
      { length: DEPLOYS },
      () => app.run(["local", "deploy", "--port", "0", "--timeout", "300"], OPTIONS),
    );
    const [trained, deployed] = await Promise.all([Promise.all(trainings), Promise.all(deploys)]);

    for (const [number, result] of trained.entries()) assertOwnEnd(number, result);
    const parts = PARTS.map((part) => Deno.readTextFileSync(app.testPath("model", part)));
    assertEquals(Number(oneOf(parts)) % 3, 0);
    assertEquals(await besides(app.testPath("model"), PARTS), []);
    await assertRecords(app);

    const ports = deployed.map(({ code, stdout, stderr }) => {
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      return new URL(stdout.trim()).port;
    });
    assertEquals(new Set(ports).size, DEPLOYS);
    const containers = await containersOf(app.name);
    assertEquals(containers.map(({ State }) => State), ports.map(() => "running"));
    for (const port of ports) {
      const answer = await fetch(`http://127.0.0.1:${port}/invocations`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: "1",
      });
      const text = await answer.text();
      assertEquals(answer.status, 200, text);
      oneOf(JSON.parse(text).predictions);
    }

    const stopped = await Promise.all(
      ports.map((port) => app.run(["local", "stop", "--port", port], OPTIONS)),
    );
    for (const { code, stderr } of stopped) assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(await containersOf(app.name), []);
    assertEquals(await besides(app.path("local_test"), ["test_dir", "jobs"]), []);
    assertEquals(await besides(app.testPath(), ["input", "model", "output"]), []);
  });

  it("deploys on one port: one serves, the others name it", async () => {
    await using app = await makeBusyApp();
    const [first] = [await app.run(["local", "deploy", "--port", "0"])];
    const { port } = new URL(first!.stdout.trim());
    assertEquals((await app.run(["local", "stop", "--port", port])).code, 0);
    const results = await Promise.all(
      Array.from({ length: 3 }, () => app.run(["local", "deploy", "--port", port], OPTIONS)),
    );
    const [served, ...refused] = results.sort((a, b) => a.code - b.code);
    assertEquals(served!.code, 0, served!.stderr);
    for (const { code, stdout, stderr } of refused) {
      assertEquals({ code, stdout }, { code: 1, stdout: "" });
      assertStringIncludes(stderr, `error: Port already in use: ${port}`);
    }
    assertEquals((await containersOf(app.name)).map(({ State }) => State), ["running"]);

    // Stopped, replaced and asked at once, it is stopped, or one server is there that answers.
    const commands = [["stop"], ["deploy", "--replace"], ["status"]];
    const ended = await Promise.all(
      commands.map(([name, ...rest]) =>
        app.run(["local", name!, "--port", port, ...rest], OPTIONS)
      ),
    );
    for (const { stderr } of ended) assert(!stderr.includes("defect"), stderr);
    const left = await containersOf(app.name);
    assert(left.length <= 1, JSON.stringify(left));
    if (ended[1]!.code === 0 && left.length === 1) assertEquals(left[0]!.State, "running");
    if (left.length === 1) {
      assertEquals((await app.run(["local", "stop", "--port", port])).code, 0);
    }
    assertEquals(await containersOf(app.name), []);
  });
});
