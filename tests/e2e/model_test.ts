import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, type TestAppOptions, TRAINING_DATA } from "../helpers/app.ts";
import { ownersBelow } from "../helpers/clone.ts";
import { namesIn } from "../helpers/directory.ts";
import {
  buildImage,
  buildTestImage,
  containersOf,
  removeImage,
  TEST_IMAGE,
  withEngine,
} from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { type OtherUser, otherUser } from "../helpers/other_user.ts";
import { killedAfter, programCommand, resultOf } from "../helpers/program.ts";
import { besidesRun, keptModels, lastRun, runsOf } from "../helpers/runs.ts";
import { deployed, predictedOn } from "../helpers/server.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";
import { endOf, untilReady } from "../helpers/waiting_run.ts";

/** Training code with this body; its parameters are `data` and `model`. */
function training(body: string): string {
  return `import os, signal, sys, time\ndef train(data, model):\n${body.replace(/^/gm, "    ")}\n`;
}

/** Writes files of these names, with their names in them. */
function writes(...names: readonly string[]): string {
  return `for name in ${JSON.stringify(names)}: print(name, file=open(model + "/" + name, "w"))`;
}

/** Says `ready`, then waits for SIGTERM, or for the file that says to go on. */
function waits(onTerminate: string): string {
  return `
def terminated(signum, frame):
    ${onTerminate}
signal.signal(signal.SIGTERM, terminated)
print("ready", flush=True)
for _ in range(1200):
    if os.path.exists("/opt/ml/output/data/go"): return
    time.sleep(0.05)`;
}

const SERVING = `
import os
def model_fn(model_dir): return model_dir
def predict_fn(input_data, model):
    names = [name for name in sorted(os.listdir(model)) if name[0] != "."]
    return [open(model + "/" + name).read().strip() for name in names]
`;

/** An app with an earlier model: \`old\`, and what keeps \`model/\` in version control. */
function modelApp(body: string, options: TestAppOptions = {}): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    ...options,
    files: {
      "training/training.py": training(body),
      "prediction/serve": SERVING,
      "processing/p.py": "",
      [TRAINING_DATA]: "1,2\n",
      "local_test/test_dir/input/data/processing/p.csv": "1\n",
      "local_test/test_dir/model/old": "old\n",
      "local_test/test_dir/model/.gitkeep": "",
      "local_test/test_dir/model/.gitignore": "*\n",
      ...options.files,
    },
  });
}

const TRAIN = ["local", "train"];
const KEEPING = [".gitignore", ".gitkeep"];
const EARLIER = { model: [...KEEPING, "old"], beside: [] as string[] };
/** The earlier model, which a person put there, after another has taken its place. */
const KEPT = [...KEEPING, "old"].map((name) => `KEPT/${name}`);

/** What there is of models: the current one, and those beside it. */
async function modelsOf(app: TestApp) {
  return { model: await namesIn(app.testPath("model")), beside: await keptModels(app) };
}

/** What is said of the model of a failed run. */
async function noteOf(app: TestApp): Promise<string> {
  const path = (await lastRun(app, "model")).slice(app.directory.length + 1);
  return `note: The model of this run is in ${path}; ${shown(app, "model")} is unchanged\n`;
}

/** The path of a directory as messages have it. */
function shown(app: TestApp, name: string): string {
  return `${app.name}/mlcli_base/local_test/test_dir/${name}`;
}

async function retrain(app: TestApp, body: string): Promise<void> {
  await app.write(app.path("training/training.py"), training(body));
}

suite("the model directory of a training", () => {
  beforeAll(buildTestImage);

  it("is empty at the start, and replaces the whole model after success", async () => {
    await using app = await modelApp(`
print(os.listdir(model), os.listdir("/opt/ml/model"))
os.makedirs(model + "/deep")
${writes("new", "deep/new")}`);
    const { code, stdout, stderr } = await app.run(TRAIN);
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "[] []\n", stderr: "" });
    assertEquals(await modelsOf(app), { model: [...KEEPING, "deep", "new"], beside: KEPT });
    assertEquals(await Deno.readTextFile(app.testPath("model/.gitignore")), "*\n");
    assertEquals(await Deno.readTextFile(app.testPath("model/deep/new")), "deep/new\n");
  });

  it("can be written by the image's own user where model/ is open to everyone", async () => {
    const image = `mlcli-test-user-${crypto.randomUUID().slice(0, 8)}`;
    await buildImage(`${image}:latest`, { Dockerfile: `FROM ${TEST_IMAGE}\nUSER 54398\n` });
    try {
      await using app = await modelApp(writes("new"), { configuration: { image_name: image } });
      for (const name of ["model", "output"]) {
        await Deno.mkdir(app.testPath(name), { recursive: true });
        await Deno.chmod(app.testPath(name), 0o777);
      }
      const { code, stderr } = await app.run(TRAIN);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      assertEquals(await modelsOf(app), { model: [...KEEPING, "new"], beside: KEPT });
      assertEquals((await Deno.stat(app.testPath("model"))).mode! & 0o777, 0o777);
    } finally {
      await removeImage(`${image}:latest`);
    }
  });
});

suite("the model of a training that is stopped", () => {
  beforeAll(buildTestImage);

  const saves = `${writes("half").replace(": ", ":\n        ")}`;
  for (const how of ["a second Ctrl-C", "the end of the grace"]) {
    it(`does not replace the earlier one where it was killed by ${how}`, async () => {
      await using app = await modelApp(waits(`${saves}\n    print("not yet", flush=True)`));
      const isSecond = how.startsWith("a second");
      const grace = isSecond ? "60" : "1";
      const run = await untilReady(app.start([...TRAIN, "--grace", grace]));
      run.child.kill("SIGINT");
      await run.stdout.until(/not yet\n/); // it has come
      if (isSecond) run.child.kill("SIGINT");
      assertEquals(await endOf(run), {
        code: 130,
        stderr: `Stopping (up to ${grace} s; press Ctrl-C again to kill)\n` +
          await noteOf(app),
      });
      assertEquals(await modelsOf(app), { ...EARLIER, beside: ["RUN/half"] });
      assertEquals(await containersOf(app.name), []);
    });
  }
});

/** Waits until the code of a run has ended, whose mlcli is not there any more. */
async function untilEnded(app: TestApp): Promise<void> {
  await eventually(async () =>
    (await containersOf(app.name)).every(({ State }) => State === "exited")
  );
}

suite("the model of a training whose mlcli was killed", () => {
  beforeAll(buildTestImage);

  it("is put in place by the next command, or named where nobody knows how the training ended", async () => {
    await using app = await modelApp(`${waits("pass").replace(": return", ": break")}
${writes("late")}`);
    const run = await untilReady(app.start(TRAIN));
    run.child.kill("SIGKILL");
    assertEquals((await endOf(run)).code, 137);
    const [name] = await runsOf(app);

    // It goes on, and no command takes it for something that is left.
    const meanwhile = await app.run(["local", "process", "-f", "p.py"]);
    assertEquals({ ...meanwhile }, { code: 0, stdout: "", stderr: "" });
    assertEquals(await modelsOf(app), EARLIER);

    await Deno.writeTextFile(app.testPath("output/data/go"), "");
    await untilEnded(app);
    const knows = !await withEngine((engine) => Promise.resolve(engine.remembersExitStatus));
    const next = await app.run(["local", "process", "-f", "p.py"]);
    assertEquals(next.code, 0);
    if (knows) {
      assertEquals(
        next.stderr,
        "note: Training continued after mlcli was killed, and exited with 0: its " +
          `model is in ${shown(app, "model")} now\n`,
      );
      assertEquals(await modelsOf(app), { model: [...KEEPING, "late"], beside: KEPT });
      return assertEquals(await containersOf(app.name), []);
    }
    const path = `${app.name}/mlcli_base/local_test/jobs/${name}/model`;
    assertEquals(
      next.stderr,
      `warning: mlcli was interrupted, so the result of run ${name} is unknown; its model is ` +
        `in ${path}\nhint: To serve it: mlcli local deploy --run ${name}. To remove it: rm -r ` +
        `${path}\n`,
    );
    // Another training replaces the model, and still leaves this one to its owner.
    await retrain(app, writes("new"));
    assertEquals(await app.run(TRAIN), { code: 0, stdout: "", stderr: "" });
    assertEquals(await modelsOf(app), {
      model: [...KEEPING, "new"],
      beside: [...KEPT, "RUN/late"],
    });
  });

  it("between its two renames is put in place by the next command", async () => {
    await using app = await modelApp("");
    const jobs = (...parts: string[]) => app.path("local_test/jobs", ...parts);
    await app.write(jobs("one/model/new"), "new\n");
    await Deno.mkdir(jobs("earlier"));
    await Deno.rename(app.testPath("model"), jobs("earlier/model"));
    await app.write(jobs(".current.json"), JSON.stringify({ of: "earlier", next: "one" }));
    const port = await deployed(app);
    assertEquals(await predictedOn(port), "new");
    assertEquals((await modelsOf(app)).model, ["new"]);
    await app.run(["local", "stop", "-p", port]);
  });
});

suite("a model/ that is a mount point", () => {
  beforeAll(buildTestImage);

  // Root alone can mount.
  if (Deno.uid() === 0) {
    it("gets the new model's files and stays mounted", async () => {
      await using app = await modelApp(
        `os.makedirs(model + "/deep")\n${writes("new", "deep/new")}`,
      );
      const model = app.testPath("model");
      // The mount is seen here alone: neither the engine nor the rest of the machine has it.
      const script = `
set -e
mount -t tmpfs tmpfs "$1"
echo old > "$1/old"; : > "$1/.gitkeep"
shift
"$@" local train
cd "${model}"; find . -mindepth 1 | sort; mountpoint -q . && cat new deep/new`;
      const args = ["-m", "sh", "-c", script, "sh", model, ...programCommand([])];
      const child = new Deno.Command("unshare", {
        args,
        cwd: app.directory,
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      assertEquals(besidesRun(await resultOf(killedAfter(60_000, child))), {
        code: 0,
        stdout: "./.gitkeep\n./deep\n./deep/new\n./new\nnew\ndeep/new\n",
        stderr: "",
      });
      // Below the mount, nothing was touched; what was in it is kept.
      assertEquals(await modelsOf(app), { ...EARLIER, beside: ["KEPT/old"] });
    });
  }
});

suite("a server that runs while its app is trained again", () => {
  beforeAll(buildTestImage);

  it("keeps its model until it is stopped, and the next one has the new", async () => {
    await using app = await modelApp(writes("first"));
    assertEquals(await app.run(TRAIN), { code: 0, stdout: "", stderr: "" });
    const port = await deployed(app);
    await app.write(`${app.directory}/mlcli/config.json`, '{ "keep_models": "3" }');
    const env = { XDG_CONFIG_HOME: app.directory };
    // More than are kept, but for those that a server uses.
    for (const name of ["second", "third", "fourth", "fifth"]) {
      const [, second] = await runsOf(app);
      await retrain(app, writes(name));
      const { code, stderr } = await app.run(TRAIN, { env });
      const gone = `warning: Removed the model of ${second} ` +
        "(mlcli keeps at most 3 models, 10GB in total)\n" +
        "hint: To keep a model: mlcli local keep RUN. To keep more models: mlcli config set " +
        "keep_models NUMBER, or mlcli config set keep_models_size SIZE\n";
      assertEquals([code, stderr], [0, name === "fifth" ? gone : ""]);
      assertEquals(await predictedOn(port), "first");
    }
    const beside = ["first", "fourth", "third"].flatMap((name) => [...KEEPING, name]);
    const sorted = [...KEPT, ...beside.map((name) => `RUN/${name}`)].sort();
    assertEquals(await modelsOf(app), { model: [...KEEPING, "fifth"], beside: sorted });
    const [, , , fourth, fifth] = await runsOf(app);
    const last = await app.run(["local", "deploy", "-p", "0", "--run", "last"]);
    assertEquals(last.stderr, `note: Using the model of run ${fifth}\n`);
    const next = [
      await deployed(app),
      new URL(last.stdout.trim()).port,
      await deployed(app, "--run", fourth!),
    ];
    const answers = await Promise.all([port, ...next].map(predictedOn));
    assertEquals(answers, ["first", "fifth", "fifth", "fourth"]);
    for (const one of [port, ...next]) {
      assertEquals((await app.run(["local", "stop", "-p", one])).code, 0);
    }
    await retrain(app, writes("sixth"));
    assertEquals((await app.run(TRAIN, { env })).code, 0);
    const { beside: left } = await modelsOf(app);
    assertEquals(left.filter((name) => !KEPT.includes(name) && !name.includes(".git")), [
      "RUN/fifth",
      "RUN/fourth",
    ]);
  });
});

suite("a model belongs to the caller", () => {
  let user: OtherUser;

  beforeAll(async () => {
    await buildTestImage();
    user = await otherUser();
  });
  afterAll(async () => await user?.[Symbol.asyncDispose]());

  /** What of `test_dir/` is not the caller's, by path. */
  async function foreign(directory: string): Promise<string[]> {
    const owners = await ownersBelow(directory);
    return [...owners].filter(([path, { uid }]) => path && uid !== user.uid)
      .map(([path]) => `${directory}/${path}`);
  }

  it("after Ctrl-C, and after another that kills", async () => {
    await using app = await modelApp(
      `${writes("half")}\n${waits('print("not yet", flush=True)')}`,
      { parent: user.home },
    );
    await user.owns(app.directory);
    const run = await untilReady(user.start(TRAIN, app.directory));
    run.child.kill("SIGINT");
    await run.stdout.until(/not yet\n/);
    run.child.kill("SIGINT");
    assertEquals((await endOf(run)).code, 130);
    assertEquals(await modelsOf(app), { ...EARLIER, beside: ["RUN/half"] });
    const kept = await lastRun(app, "model");
    // Nobody waited for the change of owners; but it is theirs to remove.
    assertEquals((await Deno.lstat(kept)).uid, user.uid);
    assertEquals(
      // Late enough for a busy machine to have started the code, which takes its time then.
      (await user.run(TRAIN.concat("--stop-after", "3", "--grace", "1"), app.directory)).code,
      137,
    );
    assertEquals(await foreign(await lastRun(app)), []);
  });

  it("after mlcli was killed", async () => {
    await using app = await modelApp(
      `${writes("half")}\n${waits("pass")}`,
      { parent: user.home },
    );
    await user.owns(app.directory);
    const run = await untilReady(user.start(TRAIN, app.directory));
    run.child.kill("SIGKILL");
    await endOf(run);
    await Deno.writeTextFile(app.testPath("output/data/go"), "");
    await untilEnded(app);
    const result = await user.run(["local", "process", "-f", "p.py"], app.directory);
    assertStringIncludes(result.stderr, "mlcli was interrupted, so the result of run ");
    assertEquals(await foreign(app.testPath()), [`${app.testPath()}/output/data/go`]);
  });
});
