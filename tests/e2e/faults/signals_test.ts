import { assert, assertEquals } from "@std/assert";
import { namesOf } from "../../../runtime/docker/engine.ts";
import { makeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import { startCloud } from "../../helpers/cloud.ts";
import { LEAST, makeDeployApp, MODEL, UPDATE } from "../../helpers/deploy_app.ts";
import { filesBelow, makeDirectory } from "../../helpers/directory.ts";
import {
  buildTestImage,
  containersOf,
  networksOf,
  TEST_IMAGE,
  withEngine,
} from "../../helpers/engine.ts";
import { eventually } from "../../helpers/eventually.ts";
import { BUCKET, type JobApp } from "../../helpers/job_app.ts";
import { type ProgramResult, startProgram } from "../../helpers/program.ts";
import { type Scene, sweepSignals } from "../../helpers/signal_sweep.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";

const FILES = {
  [TRAINING_DATA]: "1\n",
  "local_test/test_dir/input/data/processing/p.csv": "1\n",
  "local_test/test_dir/model/m": "earlier",
  "training/training.py": `
def train(input_data_path, model_save_path):
    open(model_save_path + "/m", "w").write("trained")
`,
  "processing/p.py": `
def process():
    open("/opt/ml/processing/output/p.txt", "w").write("processed")
if __name__ == "__main__": process()
`,
  "../../requirements.txt": "",
  "../../number.json": "7",
  "prediction/serve": `
def model_fn(model_dir): return open(model_dir + "/m").read()
def predict_fn(data, model): return model
`,
};

/** A command in an app, and what has to hold besides. */
interface Local {
  readonly args: readonly string[];
  /** Brings about what it needs. */
  readonly begin?: (app: TestApp) => Promise<void>;
  /** Whether its server stays when it is done; or else when it is not. */
  readonly serves?: "when done" | "unless done" | "always";
  readonly check?: (app: TestApp, result: ProgramResult, isDone: boolean) => Promise<void>;
}

async function deployed(app: TestApp): Promise<void> {
  await complete(app, ["local", "deploy", "-p", "0"]);
}

async function portOf(app: TestApp): Promise<string> {
  return (await containersOf(app.name))[0]!.Labels["mlcli.port"]!;
}

/** The command, with the port of the app's server behind it. */
async function onPort(app: TestApp, args: readonly string[]): Promise<readonly string[]> {
  return [...args, "-p", await portOf(app)];
}

async function complete(app: Pick<TestApp, "run">, args: readonly string[]): Promise<void> {
  const { code, stderr } = await app.run(args);
  assertEquals(code, 0, `${args.join(" ")}: ${stderr}`);
}

function training(args: readonly string[]): Local {
  return {
    args,
    check: async (app, _result, isDone) => {
      const model = await Deno.readTextFile(app.testPath("model/m"));
      assert(isDone ? model === "trained" : ["earlier", "trained"].includes(model), model);
      assertEquals(await networksOf(app.name), []);
      await complete(app, args);
    },
  };
}

const COMMANDS: readonly Local[] = [
  {
    args: ["build"],
    check: async (app) => {
      // Leaves out the interrupted step: BuildKit can hang if a step restarts right after it was
      // cancelled (https://github.com/moby/buildkit/issues/3628).
      await app.write(app.path("Dockerfile"), `FROM ${TEST_IMAGE}\n`);
      await complete(app, ["build"]);
    },
  },
  training(["local", "train"]),
  training(["local", "train", "--instance-count", "2"]),
  { args: ["local", "process", "-f", "p.py"] },
  {
    args: ["local", "deploy", "-p", "0"],
    serves: "when done",
    check: async (app, { stdout }, isDone) => {
      if (isDone) assert(stdout.includes(`:${await portOf(app)}`), stdout);
    },
  },
  {
    args: ["local", "stop"],
    begin: deployed,
    serves: "unless done",
    check: async (app, _result, isDone) => {
      if (!isDone && (await containersOf(app.name)).length > 0) {
        await complete(app, await onPort(app, ["local", "stop"]));
      }
    },
  },
  { args: ["local", "logs"], begin: deployed, serves: "always" },
  { args: ["local", "invoke", "number.json"], begin: deployed, serves: "always" },
  { args: ["local", "status"] },
  { args: ["local", "list-jobs"] },
  { args: ["local", "shell", "--", "true"] },
  { args: ["doctor"], check: () => eventually(noTrialsOfDoctor) },
];

/** Whether no container of doctor exists. They belong to no app, so a parallel test can have one. */
async function noTrialsOfDoctor(): Promise<boolean> {
  const containers = await withEngine((engine) => engine.listContainers([]));
  return containers.flatMap(namesOf).every((name) => !name.startsWith("mlcli-doctor-"));
}

/** What of a run is in the app's directories, and goes at its end. */
function leftIn(app: TestApp): readonly string[] {
  const names = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name);
  return [...names(app.path("local_test")), ...names(app.testPath())]
    .filter((name) => /^\.(run|model)-/.test(name));
}

async function openLocal({ args, begin, serves, check }: Local): Promise<Scene> {
  // The image that is built is the app's own.
  const configuration = args[0] === "build" ? {} : { image_name: TEST_IMAGE };
  const app = await makeApp({ configuration, files: FILES });
  // Found in no cache.
  await app.write(app.path("Dockerfile"), `FROM ${TEST_IMAGE}\nRUN sleep 0.3 # ${app.name}\n`);
  await begin?.(app);
  const whole = begin && args[1] !== "shell" ? await onPort(app, args) : args;
  return {
    start: (env) => app.start(whole, { env }),
    async check(result, isDone) {
      const left = (await containersOf(app.name)).length;
      if (serves === "always") assertEquals(left, 1);
      else if (serves === undefined || isDone === (serves === "unless done")) assertEquals(left, 0);
      else if (serves === "when done") assertEquals(left, 1);
      assertEquals(leftIn(app), []);
      await check?.(app, result, isDone);
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

async function openInit(): Promise<Scene> {
  const directory = await makeDirectory();
  const args = ["init", "shop"];
  const options = { cwd: directory.path };
  return {
    start: (env) => startProgram(args, { ...options, env }),
    async check() {
      const { code, stderr } = await startProgram(args, options).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      await using other = await makeDirectory();
      await startProgram(args, { cwd: other.path }).output();
      assertEquals(await filesBelow(directory.path), await filesBelow(other.path));
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Commands on SageMaker; each can be repeated, and is done then. */
const CLOUD: readonly (readonly string[])[] = [
  LEAST,
  UPDATE,
  ["delete-endpoint", "-n", "shop", "--delete-config", "--delete-model"],
  ["upload-data", "-i", "sent", "--target-dir", `s3://${BUCKET}/sent`],
  ["download-model", MODEL],
  ["train", "-i", `s3://${BUCKET}/app/data/`, "-e", "ml.m5.large", "--no-wait"],
  ["list-endpoints"],
  ["list-jobs"],
];

async function openCloud(args: readonly string[]): Promise<Scene> {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`../../sent/${n}`, "1"]));
  const job: JobApp = await makeDeployApp({ files });
  const serves = args === UPDATE || args[0] === "delete-endpoint";
  if (serves) await complete(job, LEAST);
  const options = { cwd: job.app.directory, env: { DOCKER_HOST: "unix:///nonexistent.sock" } };
  return {
    start: (env) => startCloud(job.box, args, { ...options, env: { ...options.env, ...env } }),
    async check() {
      // Without an engine nobody knows whether a server uses the earlier model.
      assertEquals(leftIn(job.app).filter((name) => !name.endsWith(".old")), []);
      if (args[0] === "delete-endpoint" && !job.box.endpoints.endpoints.has("shop")) return;
      await complete(job, args);
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

suite("a signal at every moment of a command", () => {
  beforeAll(buildTestImage);

  it("leaves nothing: init", () => sweepSignals(openInit));

  for (const command of COMMANDS) {
    it(`leaves nothing: ${command.args.join(" ")}`, () => sweepSignals(() => openLocal(command)));
  }

  for (const args of CLOUD) {
    it(`leaves nothing, and the same command completes: ${args[0]}${args === UPDATE ? ", an update" : ""}`, () =>
      sweepSignals(() => openCloud(args)));
  }
});
