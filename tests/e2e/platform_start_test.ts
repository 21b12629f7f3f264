import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ownershipPlan } from "../../runtime/local/container/body.ts";
import type { CreateBody } from "../../runtime/docker/engine.ts";
import { makeApp } from "../helpers/app.ts";
import { type Ended, endOf, runToEnd, withContainer } from "../helpers/container.ts";
import { makeDirectory, type TestDirectory } from "../helpers/directory.ts";
import { baseImage, engineRequest, removeImage } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** An image with code of its own, started as SageMaker does: nothing of mlcli's is around it. */
const IMAGE = `mlcli-test-platform-${crypto.randomUUID().slice(0, 8)}`;

/** Longest time for a request, in ms. */
const TIMEOUT = 60_000;

const TRAINING = `
import json, os
import steps

def train(data, model, hyperparameters):
    steps.check(hyperparameters)
    names = ["SM_CHANNELS", "SM_HPS", "SM_CURRENT_HOST", "SM_NUM_GPUS", "SM_CURRENT_INSTANCE_TYPE"]
    names += [name for name in sorted(os.environ) if name[:3] in ("ML_", "SM_") and name[-4:] == "_DIR"]
    names += ["ML_CHANNEL_TRAINING", "SM_CHANNEL_TRAINING", "SM_HP_RATE"]
    print(json.dumps([os.environ["PWD"], __file__, steps.__file__, hyperparameters]))
    print(json.dumps({name: os.environ[name] for name in names}))
    with open(data + "/data.csv") as file: rows = file.read().split()
    with open(model + "/model.json", "w") as file: json.dump({"rows": rows}, file)
`;

const STEPS = `
def check(hyperparameters):
    if "fail" in hyperparameters: raise ValueError(hyperparameters["fail"])
`;

const SERVING = `
import json, os

def model_fn(model_dir):
    with open(model_dir + "/model.json") as file: return json.load(file)

def predict_fn(data, model):
    return {"rows": model["rows"], "data": data, "file": __file__, "host": os.environ.get("MLCLI_ALLOWED_HOSTS"),
            "ml": {name: os.environ[name] for name in os.environ if name.startswith("ML_")}}
`;

const PROCESSING = `
import json, os, sys

name, = os.listdir("/opt/ml/processing/input")
with open("/opt/ml/processing/input/" + name) as file: rows = file.readlines()
with open("/opt/ml/processing/output/" + name, "w") as file: file.writelines(rows[:int(sys.argv[2])])
print(sys.argv, os.environ["PWD"])
print(json.dumps({name: os.environ[name] for name in sorted(os.environ) if name.startswith("ML_")}))
`;

const WHERE = `
import os, subprocess, sys
cd = subprocess.run("pwd", shell=True, stdout=subprocess.PIPE, universal_newlines=True)
print(__file__, sys.path[0], cd.stdout.strip(), os.path.realpath(__file__))
`;

/** Builds it, as a user does before the image goes to SageMaker. */
async function buildImage(): Promise<void> {
  await using app = await makeApp({
    configuration: { image_name: IMAGE, base_image: baseImage() },
  });
  const run = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await app.run(args);
    assertEquals({ args, code, stderr }, { args, code: 0, stderr });
  };
  await run("init", app.name);
  await app.write(app.path("training/training.py"), TRAINING);
  await app.write(app.path("training/steps.py"), STEPS);
  await app.write(app.path("prediction/serve"), SERVING);
  await app.write(app.path("processing/first.py"), PROCESSING);
  await app.write(app.path("processing/where.py"), WHERE);
  const dockerfile = await Deno.readTextFile(app.path("Dockerfile"));
  await app.write(app.path("Dockerfile"), `${dockerfile}ENV SM_NUM_GPUS=7\n`);
  await run("build");
}

/** The specification's variables, which the image sets by itself. */
const ML = {
  ML_CHANNEL_TRAINING: "/opt/ml/input/data/training",
  ML_INPUT_DIR: "/opt/ml/input",
  ML_MODEL_DIR: "/opt/ml/model",
  ML_OUTPUT_DIR: "/opt/ml/output",
};

/** What SageMaker lays out for a training. */
const INPUT = {
  "input/config/inputdataconfig.json": '{"training": {"TrainingInputMode": "File"}}',
  "input/config/resourceconfig.json":
    '{"current_host": "algo-1", "hosts": ["algo-1"], "current_instance_type": "ml.m5.large"}',
  "input/data/training/data.csv": "1,2\n3,4\n",
  "model/": "",
  "output/": "",
};

/** A directory for the container, whose content is the caller's at the end, and gone. */
async function makePlatform(files: Readonly<Record<string, string>>): Promise<TestDirectory> {
  const directory = await makeDirectory(files);
  return {
    ...directory,
    async [Symbol.asyncDispose](): Promise<void> {
      // The container's user is root: without its files being given back, only root removes them.
      const uid = Deno.uid();
      if (uid) {
        const folders = [...Deno.readDirSync(directory.path)].map(({ name }) =>
          join(directory.path, name)
        );
        const owner = `${uid}:${Deno.gid()}`;
        await runToEnd(ownershipPlan(IMAGE, folders, folders, ["chown", "-hR", owner]));
      }
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** What `docker run IMAGE ARGUMENTS` creates, with these directories in /opt/ml. */
function plan(
  directory: TestDirectory,
  args: readonly string[],
  folders: readonly string[],
): CreateBody {
  return {
    Image: IMAGE,
    Cmd: args,
    Labels: {},
    HostConfig: {
      AutoRemove: false,
      Mounts: folders.map((folder) => ({
        Type: "bind",
        Source: join(directory.path, folder),
        Target: `/opt/ml/${folder}`,
        ReadOnly: false,
      })),
    },
  };
}

/** The container's own address, which leaves out the engine's proxy for published ports. */
async function addressOf(id: string, port: number): Promise<string> {
  const { NetworkSettings } = JSON.parse(
    await engineRequest("GET", `/containers/${id}/json`, [200]),
  );
  return `http://${NetworkSettings.Networks.bridge.IPAddress}:${port}`;
}

/** Calls `work` with the address of a server that has loaded the model, and stops it afterwards. */
async function withServer(
  directory: TestDirectory,
  work: (address: string) => Promise<void>,
  { port = 8080, env = [] as readonly string[] } = {},
): Promise<Ended> {
  const server = plan(directory, ["serve"], ["model"]);
  return await withContainer({
    ...server,
    // Once /ping is answered no other worker is still loading: that one would log its own end.
    Env: ["MLCLI_WORKERS=1", ...env],
  }, async (engine, id) => {
    const address = await addressOf(id, port);
    await eventually(async () => {
      // A server that has ended will not answer any more.
      if (!await engine.isRunning(id)) throw new Error((await endOf(engine, id)).log);
      const signal = AbortSignal.timeout(10_000);
      const response = await fetch(`${address}/ping`, { signal }).catch(() => undefined);
      assertEquals(await response?.text() ?? "", "");
      return response?.status === 200;
    });
    await work(address);
    await engine.stopContainer(id, 30);
    return await endOf(engine, id);
  });
}

/** Asks a server for a prediction: its status, and the body of its answer as it says itself. */
async function invoke(
  address: string,
  body: BodyInit,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly [number, unknown]> {
  let status: number | undefined;
  try {
    const response = await fetch(`${address}/invocations`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body,
      signal: AbortSignal.timeout(TIMEOUT),
    });
    status = response.status;
    return [status, await response.json()];
  } catch (cause) {
    // A timeout does not say by itself what it was waited for.
    const missing = status === undefined ? "No answer" : `Not all of an answer with ${status}`;
    throw new Error(`${missing} to a POST of ${typeof body}`, { cause });
  }
}

suite("an image started as SageMaker starts it", () => {
  beforeAll(buildImage);
  afterAll(() => removeImage(IMAGE));

  const TRAIN = ["input", "model", "output"];

  it("trains with its own code, and then serves the model", async () => {
    await using platform = await makePlatform({
      ...INPUT,
      "input/config/hyperparameters.json":
        '{"rate": "0.5", "sagemaker_region": "eu-west-1", "_tuning_objective_metric": "loss"}',
    });
    const { status, log } = await runToEnd(plan(platform, ["train"], TRAIN));
    assertEquals({ status, log }, { status: 0, log });
    const [facts, variables, ...rest] = log.split("\n");
    assertEquals(rest, [""]);
    assertEquals(JSON.parse(facts!), [
      "/opt/ml/code",
      "/opt/ml/code/training.py",
      "/opt/ml/code/steps.py",
      { rate: 0.5 },
    ]);
    assertEquals(JSON.parse(variables!), {
      ...ML,
      SM_INPUT_CONFIG_DIR: "/opt/ml/input/config",
      SM_INPUT_DIR: "/opt/ml/input",
      SM_MODEL_DIR: "/opt/ml/model",
      SM_MODULE_DIR: "/opt/ml/code",
      SM_OUTPUT_DATA_DIR: "/opt/ml/output/data",
      SM_OUTPUT_DIR: "/opt/ml/output",
      SM_OUTPUT_INTERMEDIATE_DIR: "/opt/ml/output/intermediate",
      SM_CHANNELS: '["training"]',
      SM_CHANNEL_TRAINING: "/opt/ml/input/data/training",
      SM_HPS: '{"rate":0.5}',
      SM_HP_RATE: "0.5",
      SM_CURRENT_HOST: "algo-1",
      SM_CURRENT_INSTANCE_TYPE: "ml.m5.large",
      // The image's own.
      SM_NUM_GPUS: "7",
    });
    const model = join(platform.path, "model/model.json");
    assertEquals(await Deno.readTextFile(model), '{"rows": ["1,2", "3,4"]}');
    assertEquals([...Deno.readDirSync(join(platform.path, "output"))].map(({ name }) => name), [
      "data",
    ]);

    const ended = await withServer(platform, async (address) => {
      // SageMaker's own address is no name that mlcli let in.
      assertEquals(await invoke(address, "[1]", { Origin: "https://example.org" }), [200, {
        rows: ["1,2", "3,4"],
        data: [1],
        file: "/opt/ml/code/serve",
        host: null,
        ml: ML,
      }]);
    });
    assertEquals(ended, { status: 0, log: "" });
  });

  it("has the label that lets an inference pipeline choose its port", async () => {
    const { Config } = JSON.parse(await engineRequest("GET", `/images/${IMAGE}/json`, [200]));
    assertEquals(Config.Labels["com.amazonaws.sagemaker.capabilities.accept-bind-to-port"], "true");
  });

  it("serves a transform job: on SageMaker's port, and bodies of any size", async () => {
    await using platform = await makePlatform({ "model/model.json": '{"rows": []}' });
    const batch = ["SAGEMAKER_BATCH=true", "SAGEMAKER_MAX_PAYLOAD_IN_MB=0"];
    const env = ["SAGEMAKER_BIND_TO_PORT=8123", ...batch];
    const ended = await withServer(platform, async (address) => {
      const body = JSON.stringify({ x: "a".repeat(20 * 1024 ** 2) });
      const stream = new Blob([body]).stream();
      for (const sent of [body, stream]) {
        const [status, answer] = await invoke(address, sent);
        assertEquals([status, (answer as { data: { x: string } }).data.x.length], [
          200,
          20 * 1024 ** 2,
        ]);
      }
    }, { port: 8123, env });
    assertEquals(ended, { status: 0, log: "" });
  });

  it("leaves the reason of a failed training where SageMaker looks for it", async () => {
    await using platform = await makePlatform({
      ...INPUT,
      "input/config/hyperparameters.json": '{"fail": "no age"}',
    });
    const { status, log } = await runToEnd(plan(platform, ["train"], TRAIN));
    assertEquals(status, 1);
    assertStringIncludes(log, 'File "/opt/ml/code/steps.py", line 3, in check\n');
    assertEquals(log.includes("/opt/mlcli"), false);
    const failure = await Deno.readTextFile(join(platform.path, "output/failure"));
    assertMatch(failure, /^ValueError: no age\n\nTraceback /);
    assertEquals([...Deno.readDirSync(join(platform.path, "model"))], []);
  });

  it("runs a processing script with its arguments", async () => {
    await using platform = await makePlatform({
      "processing/input/table.csv": "a\nb\nc\n",
      "processing/output/": "",
    });
    const args = ["process", "first.py", "--rows", "2"];
    const { status, log } = await runToEnd(plan(platform, args, ["processing"]));
    assertEquals({ status, log }, { status: 0, log });
    const [place, variables, ...rest] = log.split("\n");
    assertEquals(rest, [""]);
    assertEquals(
      place,
      "['/opt/ml/code/first.py', '--rows', '2'] /opt/ml/code",
    );
    assertEquals(JSON.parse(variables!), ML);
    const output = join(platform.path, "processing/output/table.csv");
    assertEquals(await Deno.readTextFile(output), "a\nb\n");
  });

  const HERE = "/opt/ml/code/where.py /opt/ml/code /opt/ml/code /opt/program/processing/where.py\n";

  it("runs the code by the path that it has locally, also twice and for other users", async () => {
    await using platform = await makePlatform({});
    const body = plan(platform, ["process", "where.py"], []);
    assertEquals(await runToEnd({ ...body, User: "12345" }), { status: 0, log: HERE });
    const once = "/opt/mlcli/entrypoint process where.py";
    const twice: CreateBody = { ...body, Entrypoint: ["sh", "-c"], Cmd: [`${once} && ${once}`] };
    assertEquals(await runToEnd(twice), { status: 0, log: HERE.repeat(2) });
  });

  it("runs the code from its own directory where /opt/ml/code is taken, and says so", async () => {
    await using platform = await makePlatform({ "code/": "" });
    const { status, log } = await runToEnd(plan(platform, ["process", "where.py"], ["code"]));
    const own = "/opt/program/processing";
    assertEquals(log.split("\n").sort(), [
      "",
      `${own}/where.py ${own} ${own} ${own}/where.py`,
      `mlcli: the code runs in ${own}, because /opt/ml/code cannot link to it: Device or resource busy`,
    ]);
    assertEquals(status, 0);
  });

  it("shows its usage for an unknown command or none", async () => {
    await using platform = await makePlatform({});
    const usage = { status: 2, log: "usage: train | serve | process FILE [ARGS...]\n" };
    assertEquals(await runToEnd(plan(platform, [], [])), usage);
    assertEquals(await runToEnd(plan(platform, ["evaluate"], [])), usage);
  });
});
