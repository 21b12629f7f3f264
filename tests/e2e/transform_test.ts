import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { isFile } from "../../runtime/files.ts";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { filesBelow } from "../helpers/directory.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { resultOf } from "../helpers/program.ts";
import { lastRun, runsOf } from "../helpers/runs.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** Answers with the model, the row, and what its container was told. */
const SERVING = `
import os, time
def model_fn(model_dir):
    with open(model_dir + "/model.txt") as file: return file.read()
def input_fn(body, content_type):
    return [line.split(",") for line in body.splitlines()]
def predict_fn(rows, model):
    for row in rows:
        if row[0] == "bad": raise ValueError("a bad row")
        if row[0] == "die": os.kill(os.getppid(), 9); time.sleep(60)
        if row[0] == "wait": print("waiting", flush=True); time.sleep(60)
    names = ["SAGEMAKER_BATCH", "SAGEMAKER_MAX_CONCURRENT_TRANSFORMS", "MLCLI_MAX_BODY_MB"]
    return [",".join([model] + row + [os.environ.get(name, "-") for name in names]) for row in rows]
def output_fn(rows, accept):
    return "".join(row + "\\n" for row in rows)
`;

function transformApp(files: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: {
      "prediction/serve": SERVING,
      "local_test/test_dir/model/model.txt": "seven",
      ...Object.fromEntries(
        Object.entries(files).map(([name, text]) => [`../../data/${name}`, text]),
      ),
    },
  });
}

/** What is kept of its last run. */
async function lastRecord(app: TestApp) {
  return JSON.parse(await Deno.readTextFile(await lastRun(app, "job.json")));
}

const RESULTS = "local_test/test_dir/output/transform";

suite("local transform", () => {
  beforeAll(buildTestImage);

  it("sends the rows to the server of a transform job, and keeps its answers", async () => {
    await using app = await transformApp({ "a.csv": "1,x\n2,y\n", "sub/b.csv": "3,z" });
    const { code, stdout, stderr } = await app.run(["local", "transform", "data"]);
    assertEquals(
      { code, stdout },
      { code: 0, stdout: `${app.name}/mlcli_base/${RESULTS}\n` },
      stderr,
    );
    assertMatch(
      stderr,
      /^Sending (?:one request at a time|up to \d+ requests at once) \(up to \d+ MB, as many records as fit\)\n2 files, 3 records in \S+ s \(\S+ records\/s\); responses took \S+ ms \(p50\), \S+ ms \(p95\), \S+ ms \(p99\)\n$/,
    );
    assertEquals(await filesBelow(app.path(RESULTS)), {
      "a.csv.out": "seven,1,x,true,-,-\nseven,2,y,true,-,-\n",
      "sub/b.csv.out": "seven,3,z,true,-,-\n",
    });
    assertEquals(await containersOf(app.name), []);
    const { kind, outcome, transform, data, code: hash } = await lastRecord(app);
    assertEquals([kind, outcome.status], ["transform", "Completed"]);
    const { files, failed_files, records, requests, failed } = transform;
    assertEquals([files, failed_files, records, requests, failed], [2, 0, 3, 2, []]);
    assertEquals(data.input.files, 2);
    assertMatch(hash, /^[0-9a-f]{32}$/);
    const list = await app.run(["local", "list-jobs"]);
    assertMatch(list.stdout, /^\S+ +transform +Completed /);
  });

  it("has the shape that options and the file's object transform name", async () => {
    await using app = await transformApp({ "a.csv": "1,x\n2,y\n" });
    await app.write(
      `${app.directory}/${app.name}.json`,
      JSON.stringify({
        image_name: TEST_IMAGE,
        transform: { input_filter: "$[0]", max_concurrency: 2, ec2_type: "ml.m5.large" },
      }),
    );
    const args = ["local", "transform", "-i", "data/a.csv", "-o", "kept", "--join", "input", "-q"];
    const { code, stdout, stderr } = await app.run(args);
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "kept\n", stderr: "" });
    const content = await filesBelow(`${app.directory}/kept`);
    assertEquals(content, { "a.csv.out": "1,x,seven,1,true,2,-\n2,y,seven,2,true,2,-\n" });
  });

  it("names the line that fails a file, has the other files, and ends with 1", async () => {
    await using app = await transformApp({ "a.csv": "1,x\nbad,y\n2,z\n", "b.csv": "3\n" });
    const args = ["local", "transform", "-i", "data", "--invocation-retries", "0", "-q"];
    const { code, stdout, stderr } = await app.run(args);
    assertEquals({ code, stdout }, { code: 1, stdout: "" });
    assertMatch(
      stderr,
      /^error: 1 of 2 files has no result\n {2}a\.csv, line 2: HTTP \d+: .*a bad row.*\nhint: .*\/log\n$/s,
    );
    assertEquals(Object.keys(await filesBelow(app.path(RESULTS))), ["b.csv.out"]);
    const record = await lastRecord(app);
    assertEquals(record.outcome.status, "Failed");
    const [{ file, first, last }] = record.transform.failed;
    assertEquals([file, first, last], ["a.csv", 2, 2]);
    assertStringIncludes(await Deno.readTextFile(await lastRun(app, "log")), "a bad row");
  });

  it("warns of what is odd, and fails for it under --strict", async () => {
    await using app = await transformApp({ "a.csv": "1,2\n\n3,4\n" });
    const args = ["local", "transform", "-i", "data", "-q"];
    const warned = await app.run(args);
    const said = "data/a.csv, line 2 is empty, but is sent as a record";
    assertEquals([warned.code, warned.stderr.split("\n")[0]], [0, `warning: ${said}`]);
    // The code of the image itself.
    const model = { features: [1, 2], means: [0, 0, 0], deviations: [1, 1, 1], weights: [1, 1] };
    await app.write(app.testPath("model/model.json"), JSON.stringify(model));
    const strict = await app.run([...args, "--strict"]);
    assertEquals(strict.code, 1);
    assertStringIncludes(strict.stderr, said);
    assertStringIncludes(strict.stderr, "data/a.csv, line 1 starts a request whose response");
    assertStringIncludes(strict.stderr, "from SageMaker");
  });

  it("does not replace the data by a result", async () => {
    await using app = await transformApp({ "a.csv": "1\n", "a.csv.out": "2\n" });
    const args = ["local", "transform", "-i", "data", "-o", "data", "--content-type", "text/csv"];
    const { code, stderr } = await app.run(args);
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      "Cannot write the result of a.csv: a.csv.out is an input file",
    );
    const data = await filesBelow(`${app.directory}/data`);
    assertEquals(data, { "a.csv": "1\n", "a.csv.out": "2\n" });
  });

  it("uses the model of the run that had this number when the transform began", async () => {
    await using app = await transformApp({ "a.csv": "1\n" });
    const older = app.path("local_test/jobs/older");
    await app.write(`${older}/model/model.txt`, "six");
    await app.write(
      `${older}/job.json`,
      JSON.stringify({
        kind: "train",
        started: "2026-01-01T00:00:00Z",
        ended: "2026-01-01T00:01:00Z",
        outcome: { status: "Completed" },
      }),
    );
    const { code, stderr } = await app.run(["local", "transform", "-i", "data", "--run", "1"]);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, "note: Using the model of run older\n");
    assertEquals(await filesBelow(app.path(RESULTS)), { "a.csv.out": "six,1,true,-,-\n" });
    const { options, transform } = await lastRecord(app);
    assertEquals({ run: options.run, model: transform.model_run }, {
      run: "older",
      model: "older",
    });
  });

  it("ends where the server does, and says how it ended", async () => {
    await using app = await transformApp({ "a.csv": "1\ndie\n", "b.csv": "2\n" });
    const { code, stderr } = await app.run(["local", "transform", "-i", "data", "-q"]);
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^error: The server stopped unexpectedly: .*\n {2}It was processing a\.csv, lines 1 to 2\n[^]*hint: /,
    );
    assertEquals(await containersOf(app.name), []);
    assertEquals(await filesBelow(app.path(RESULTS)), {});
  });

  for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    it(`${signal} leaves no server and no half of a result`, async () => {
      await using app = await transformApp({ "a.csv": "1\n", "b.csv": "2\nwait\n" });
      const child = app.start(["local", "transform", "-i", "data"]);
      await untilWaiting(app);
      await eventually(() => isFile(app.path(RESULTS, "a.csv.out")));
      child.kill(signal);
      const { code, stdout, stderr } = await resultOf(child);
      assertEquals({ code, stdout }, { code: status, stdout: "" });
      assertStringIncludes(stderr, `note: 1 of 2 files have results in ${app.name}/`);
      assertEquals(await containersOf(app.name), []);
      assertEquals(await filesBelow(app.path(RESULTS)), { "a.csv.out": "seven,1,true,-,-\n" });
      assertEquals((await lastRecord(app)).outcome.status, "Stopped");
    });
  }

  it("that was killed leaves its server to the app's next command, which removes it", async () => {
    await using app = await transformApp({ "a.csv": "wait\n", "b.csv": "2\n" });
    const child = app.start(["local", "transform", "-i", "data/a.csv"]);
    await untilWaiting(app);
    child.kill("SIGKILL");
    await resultOf(child);
    const [left] = await containersOf(app.name);
    assertEquals(left?.Labels["mlcli.role"], "transform");
    const { code, stderr } = await app.run(["local", "transform", "-i", "data/b.csv", "-q"]);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    assertEquals(await containersOf(app.name), []);
    const runs = await runsOf(app);
    const record = JSON.parse(
      await Deno.readTextFile(app.path("local_test/jobs", runs[0]!, "job.json")),
    );
    assertEquals(record.outcome, {
      status: "Failed",
      exit_status: null,
      reason: "mlcli was killed",
    });
  });
});

/** Waits until the server has received the row "wait". */
async function untilWaiting(app: TestApp): Promise<void> {
  await eventually(async () => {
    const log = await Deno.readTextFile(await lastRun(app, "log")).catch(() => "");
    return log.includes("waiting");
  });
}
