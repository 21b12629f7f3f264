import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE, untilNoContainers } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { TextReader } from "../helpers/text_reader.ts";

function appOf(code: string): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { "training/training.py": code, [TRAINING_DATA]: "1,2\n" },
  });
}

/** Says `ready`, then waits for ever, or until SIGTERM, which it answers as told. */
function waitingApp(onTerminate: string): Promise<TestApp> {
  return appOf(`
import os, signal, sys, time
def train(input_data_path, model_save_path):
    def terminated(signum, frame):
        ${onTerminate}
    signal.signal(signal.SIGTERM, terminated)
    print("ready", flush=True)
    for _ in range(1200):
        if os.path.exists("/opt/ml/output/go"): return
        time.sleep(0.05)
`);
}

const SAVE_AND_END = 'open(model_save_path + "/checkpoint", "w").close(); sys.exit(0)';
const IGNORE = 'print("not yet", flush=True)';

interface Run {
  readonly child: Deno.ChildProcess;
  readonly stdout: TextReader;
}

async function startAndWait(app: TestApp): Promise<Run> {
  const child = app.start(["local", "train"]);
  const stdout = new TextReader(child.stdout);
  await stdout.until(/^ready\n/);
  return { child, stdout };
}

async function endOf({ child, stdout }: Run): Promise<{ code: number; stderr: string }> {
  const stderr = await new Response(child.stderr).text();
  await stdout.toEnd();
  return { code: (await child.status).code, stderr };
}

suite("interrupting a run", () => {
  beforeAll(buildTestImage);

  for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    it(`${signal} lets the code end by itself, and mlcli ends with ${status}`, async () => {
      await using app = await waitingApp(SAVE_AND_END);
      const run = await startAndWait(app);
      run.child.kill(signal);
      assertEquals(await endOf(run), {
        code: status,
        stderr: "Stopping, up to 10 s; Ctrl-C again kills it.\n" +
          `note: ${app.name}/mlcli_base/local_test/test_dir/model is what this run had written ` +
          "when it was stopped\n",
      });
      await Deno.stat(app.testPath("model/checkpoint"));
      assertEquals(await containersOf(app.name), []);
    });
  }

  it("ends code that has no handler of its own", async () => {
    await using app = await appOf(`
import time
def train(input_data_path, model_save_path):
    try:
        print("ready", flush=True)
        time.sleep(60)
    finally:
        open(model_save_path + "/finally", "w").close()
`);
    const run = await startAndWait(app);
    run.child.kill("SIGTERM");
    assertEquals((await endOf(run)).code, 143);
    await Deno.stat(app.testPath("model/finally"));
    assertEquals(await containersOf(app.name), []);
  });

  // That nobody waits for the grace period then, tests/runtime/local/job_test.ts shows: code that
  // nobody kills does not end there.
  it("a second Ctrl-C ends code that does not end by itself", async () => {
    await using app = await waitingApp(IGNORE);
    const run = await startAndWait(app);
    run.child.kill("SIGINT");
    await run.stdout.until(/not yet\n/); // the first one has arrived
    run.child.kill("SIGINT");
    assertEquals((await endOf(run)).code, 130);
    assertEquals(await containersOf(app.name), []);
  });

  it("code that does not end is killed after the grace period", async () => {
    await using app = await waitingApp(IGNORE);
    const run = await startAndWait(app);
    run.child.kill("SIGINT");
    assertEquals((await endOf(run)).code, 130);
    assertEquals(await containersOf(app.name), []);
  });

  it("stops the code when nobody reads its output any more", async () => {
    // It ends by SIGTERM alone, and says so where the test can see it.
    await using app = await appOf(`
import os, signal, sys, time
def train(input_data_path, model_save_path):
    def terminated(signum, frame):
        open(model_save_path + "/terminated", "w").close()
        os._exit(0)
    signal.signal(signal.SIGTERM, terminated)
    while True:
        print("line", flush=True)
        time.sleep(0.05)
`);
    const child = app.start(["local", "train"]);
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    assertMatch(
      await new Response(child.stderr).text(),
      /^note: \S+\/model is what this run had written when it was stopped\n$/,
    );
    assertEquals((await child.status).code, 141);
    await Deno.stat(app.testPath("model/terminated"));
    // The engine removes it, and may still be at it.
    await untilNoContainers(app.name);
  });
});
