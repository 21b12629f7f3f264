import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import {
  buildTestImage,
  containersOf,
  TEST_IMAGE,
  untilNoContainers,
} from "../../helpers/engine.ts";
import { type EngineFront, engineFront } from "../../helpers/engine_front.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { runsOf, unfinishedRuns } from "../../helpers/runs.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";
import { TextReader } from "../../helpers/text_reader.ts";

/** Goes on until the host says `go`, at most for a minute. */
const WAITING = `
import os, time
def wait():
    print("begun", flush=True)
    for _ in range(1200):
        if os.path.exists("/opt/ml/output/go"): return
        time.sleep(0.05)
`;

const FILES = {
  [TRAINING_DATA]: "1\n",
  "local_test/test_dir/model/m": "earlier",
  "local_test/test_dir/input/data/processing/p.csv": "1\n",
  "common/waiting.py": WAITING,
  "training/training.py": `
from waiting import wait
def train(input_data_path, model_save_path):
    wait()
    open(model_save_path + "/m", "w").write("trained")
`,
  "processing/p.py": `
from waiting import wait
wait()
`,
  "prediction/serve": `
import sys
print("begun", file=sys.stderr, flush=True)
def model_fn(model_dir): return open(model_dir + "/m").read()
def predict_fn(data, model): return model
`,
  Dockerfile: `FROM ${TEST_IMAGE}\nRUN echo begun && sleep 60\n`,
  "../../requirements.txt": "",
};

/** A command, and what it prints when the engine may go. */
interface Row {
  readonly args: readonly string[];
  readonly begun: RegExp;
  /** Where it prints that. */
  readonly stream: "stdout" | "stderr";
  /** Whether it needs a server of the app. */
  readonly isOfServer?: boolean;
  /** Whether a container of its own is left, since the engine cannot be told. */
  readonly leaves: boolean;
}

const URL = /^http:\/\/localhost:\d+\n/m;
const ROWS: readonly Row[] = [
  { args: ["local", "train"], begun: /^begun\n/m, stream: "stdout", leaves: true },
  {
    args: ["local", "process", "--file", "p.py"],
    begun: /^begun\n/m,
    stream: "stdout",
    leaves: true,
  },
  {
    args: ["local", "deploy", "-p", "0", "--foreground"],
    begun: URL,
    stream: "stdout",
    leaves: true,
  },
  { args: ["local", "deploy", "-p", "0", "--watch"], begun: URL, stream: "stdout", leaves: true },
  {
    args: ["local", "shell", "--", "sh", "-c", "echo begun; sleep 60"],
    begun: /^begun\n/m,
    stream: "stdout",
    leaves: true,
  },
  {
    args: ["local", "logs", "--follow"],
    begun: /begun/,
    stream: "stderr",
    isOfServer: true,
    leaves: false,
  },
  { args: ["build"], begun: /begun/, stream: "stderr", leaves: false },
];

/** Runs a command until it has begun; then the engine goes away. */
async function losing(
  app: TestApp,
  front: EngineFront,
  { args, begun, stream }: Row,
): Promise<ProgramResult> {
  const child = app.start(args, { env: front.env });
  const readers = { stdout: new TextReader(child.stdout), stderr: new TextReader(child.stderr) };
  await readers[stream].until(begun);
  await front.goAway();
  const [stdout, stderr] = await Promise.all([readers.stdout.toEnd(), readers.stderr.toEnd()]);
  return { code: (await child.status).code, stdout, stderr };
}

async function makeAppOf({ args }: Row): Promise<TestApp> {
  return await makeApp({
    // A build gives the image its name.
    configuration: args[0] === "build" ? {} : { image_name: TEST_IMAGE },
    files: FILES,
  });
}

async function serve(app: TestApp): Promise<string> {
  const { code, stdout, stderr } = await app.run(["local", "deploy", "-p", "0"]);
  assertEquals(code, 0, stderr);
  return /:(\d+)$/m.exec(stdout)![1]!;
}

suite("an engine that goes away", () => {
  beforeAll(buildTestImage);

  for (const row of ROWS) {
    it(`ends mlcli ${row.args.join(" ")}, which says what is left`, async () => {
      await using app = await makeAppOf(row);
      const more = row.isOfServer ? ["-p", await serve(app)] : [];
      await using front = await engineFront(() => "pass");
      const { code, stderr } = await losing(app, front, { ...row, args: [...row.args, ...more] });
      assertEquals(code, 1, stderr);
      assertMatch(stderr, /^error: Lost the connection to the Docker Engine \([A-Z]+ \/\S+\): \S/m);
      assertEquals(/defect|os error|\bat file:/.test(stderr), false, stderr);
      const left = row.isOfServer ? [] : await containersOf(app.name);
      for (const { Names } of left) {
        assertStringIncludes(
          stderr,
          `Remove it when the engine responds: docker rm -f ${Names[0]!.slice(1)}\n`,
        );
      }
      assertEquals(left.length, row.leaves ? 1 : 0, stderr);
      assertEquals(await Deno.readTextFile(app.testPath("model/m")), "earlier");
    });
  }

  it("during a training loses nothing: it goes on, and the next one names its model", async () => {
    const row = ROWS[0]!;
    await using app = await makeAppOf(row);
    await using front = await engineFront(() => "pass");
    const { stderr } = await losing(app, front, row);
    const run = `${app.name}/mlcli_base/local_test/jobs/${(await runsOf(app))[0]}`;
    assertStringIncludes(stderr, `Kept ${run}; `);
    await app.write(app.testPath("output/go"), "");
    await untilNoContainers(app.name);
    const next = await app.run(["local", "train"]);
    assertEquals([next.code, next.stdout], [0, "begun\n"], next.stderr);
    assertStringIncludes(
      next.stderr,
      `is unknown; its model is in ${run}/model`,
    );
    assertEquals(await Deno.readTextFile(`${app.directory}/${run}/model/m`), "trained");
    assertEquals(await Deno.readTextFile(app.testPath("model/m")), "trained");
    assertEquals(await unfinishedRuns(app), []);
  });
});
