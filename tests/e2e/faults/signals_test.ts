import { assert, assertEquals } from "@std/assert";
import { namesOf } from "../../../runtime/docker/engine.ts";
import { makeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import {
  CLOUD_COMMANDS,
  type CommandName,
  COMMANDS as ALL_COMMANDS,
  except,
  type Exceptions,
  lineOf,
  wordsOf,
} from "../../helpers/command_lines.ts";
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
import type { JobApp } from "../../helpers/job_app.ts";
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
  "../../rows.csv": "7\n",
  "prediction/serve": `
def model_fn(model_dir): return open(model_dir + "/m").read()
def predict_fn(data, model): return model
`,
};

/** A command in an app, and further requirements. */
interface Local {
  /** PORT stands for the port of the app's server. */
  readonly args: readonly string[];
  /** Creates the state that the command needs. */
  readonly begin?: (app: TestApp) => Promise<void>;
  /** When the command leaves its server running. */
  readonly serves?: "when done" | "unless done" | "always";
  readonly check?: (app: TestApp, result: ProgramResult, isDone: boolean) => Promise<void>;
}

async function deployed(app: TestApp): Promise<void> {
  await complete(app, ["local", "deploy", "-p", "0"]);
}

async function portOf(app: TestApp): Promise<string> {
  return (await containersOf(app.name))[0]!.Labels["mlcli.port"]!;
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

/** Commands that need other arguments or checks than by default. */
const SPECIAL: readonly Local[] = [
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
  {
    args: ["local", "deploy", "-p", "0"],
    serves: "when done",
    check: async (app, { stdout }, isDone) => {
      if (isDone) assert(stdout.includes(`:${await portOf(app)}`), stdout);
    },
  },
  {
    args: ["local", "stop", "-p", "PORT"],
    begin: deployed,
    serves: "unless done",
    check: async (app, _result, isDone) => {
      if (!isDone && (await containersOf(app.name)).length > 0) {
        await complete(app, ["local", "stop", "-p", await portOf(app)]);
      }
    },
  },
  { args: ["local", "list-jobs"] },
  { args: ["doctor"], check: () => eventually(noTrialsOfDoctor) },
];

/** Commands with the engine that the sweep leaves out. */
const EXCEPTIONS: Exceptions = {
  "local transform": "its server starts and stops as those of local deploy and local stop",
};

const COMMANDS: readonly Local[] = [
  ...SPECIAL,
  ...except(ALL_COMMANDS, EXCEPTIONS).filter((name) => lineOf(name).engine && !isIn(SPECIAL, name))
    .map((name): Local => {
      const args = wordsOf(name);
      return args.includes("PORT") ? { args, begin: deployed, serves: "always" } : { args };
    }),
];

function isIn(rows: readonly Local[], name: string): boolean {
  return rows.some(({ args }) => args.join(" ").startsWith(name));
}

/**
 * Whether no container of doctor exists. Such containers belong to no app, so a parallel test can have one.
 */
async function noTrialsOfDoctor(): Promise<boolean> {
  const containers = await withEngine((engine) => engine.listContainers([]));
  return containers.flatMap(namesOf).every((name) => !name.startsWith("mlcli-doctor-"));
}

/** Files of a run in the app's directories that are removed at its end. */
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
  const port = args.includes("PORT") ? await portOf(app) : "";
  const whole = args.map((word) => word === "PORT" ? port : word);
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

const AS_TRAIN = "it starts a job as train does";
const READS = "it only reads, as list-jobs does";

/** Commands on SageMaker that the sweep leaves out (`cut_off_cloud_test.ts` ends them at each call). */
const CLOUD_EXCEPTIONS: Exceptions = {
  "push": "the engine does the work",
  "process": AS_TRAIN,
  "transform": AS_TRAIN,
  "describe": READS,
  "logs": READS,
  "wait": READS,
  "stop-job": "it makes one call",
  "download-output": "it downloads as download-model does",
  "invoke-endpoint": "it makes one call",
};

/** Commands on SageMaker that need other arguments than by default. */
const CLOUD_SPECIAL: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  "deploy": LEAST,
  "delete-endpoint": ["delete-endpoint", "-n", "shop", "--delete-config", "--delete-model"],
  "download-model": ["download-model", MODEL],
};

/** Commands on SageMaker; each can be repeated, and is done then. */
const CLOUD: readonly (readonly string[])[] = [
  ...except(CLOUD_COMMANDS, CLOUD_EXCEPTIONS).map((name) => CLOUD_SPECIAL[name] ?? wordsOf(name)),
  UPDATE,
];

async function openCloud(args: readonly string[]): Promise<Scene> {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`../../data/${n}`, "1"]));
  const job: JobApp = await makeDeployApp({ files });
  const serves = args === UPDATE || args[0] === "delete-endpoint";
  if (serves) await complete(job, LEAST);
  const options = { cwd: job.app.directory, env: { DOCKER_HOST: "unix:///nonexistent.sock" } };
  return {
    start: (env) => startCloud(job.box, args, { ...options, env: { ...options.env, ...env } }),
    async check() {
      // Without an engine, mlcli cannot tell whether a server uses the earlier model.
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
