import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE, untilNoContainers } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { shellCommand } from "../helpers/terminal.ts";
import { endOf, untilReady } from "../helpers/waiting_run.ts";

function appOf(code: string): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { "training/training.py": code, [TRAINING_DATA]: "1,2\n" },
  });
}

/** Says `ready`, then waits for SIGTERM, which it answers with a checkpoint. */
const SAVES_AND_ENDS = `
import signal, sys, time
def train(input_data_path, model_save_path):
    def terminated(signum, frame):
        open(model_save_path + "/checkpoint", "w").close()
        sys.exit(0)
    signal.signal(signal.SIGTERM, terminated)
    print("ready", flush=True)
    time.sleep(60)
`;

suite("interrupting a run", () => {
  beforeAll(buildTestImage);

  for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    it(`${signal} lets the code end by itself, and mlcli ends with ${status}`, async () => {
      await using app = await appOf(SAVES_AND_ENDS);
      const run = await untilReady(app.start(["local", "train"]));
      run.child.kill(signal);
      assertEquals(await endOf(run), {
        code: status,
        stderr: "Stopping (up to 10 s; press Ctrl-C again to kill)\n" +
          `note: ${app.name}/mlcli_base/local_test/test_dir/model contains what this run wrote ` +
          "before it was stopped\n",
      });
      await Deno.stat(app.testPath("model/checkpoint"));
      assertEquals(await containersOf(app.name), []);
    });
  }

  it("closing the terminal lets the code of a training run end by itself", async () => {
    await using app = await appOf(SAVES_AND_ENDS);
    const script = new Deno.Command("script", {
      args: ["--quiet", "--command", shellCommand(["local", "train"]), "/dev/null"],
      cwd: app.directory,
      env: { XDG_CONFIG_HOME: "/dev/null", XDG_STATE_HOME: "/dev/null" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    let screen = "";
    for await (const bytes of script.stdout) {
      screen += new TextDecoder().decode(bytes);
      // Without `script`, the terminal does not exist.
      if (screen.includes("ready")) script.kill("SIGKILL");
    }
    await script.status;
    await untilNoContainers(app.name);
    assertMatch((await app.run(["local", "list-jobs"])).stdout, / {2}Stopped {2}/);
    await Deno.stat(app.testPath("model/checkpoint"));
  });

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
    const run = await untilReady(app.start(["local", "train"]));
    run.child.kill("SIGTERM");
    assertEquals((await endOf(run)).code, 143);
    await Deno.stat(app.testPath("model/finally"));
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
      /^note: \S+\/model contains what this run wrote before it was stopped\n$/,
    );
    assertEquals((await child.status).code, 141);
    await Deno.stat(app.testPath("model/terminated"));
    // The engine removes it, and may still be at it.
    await untilNoContainers(app.name);
  });
});
