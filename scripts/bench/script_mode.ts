/**
 * A script on an image that holds AWS's training toolkit, run here: `local train` against the local
 * mode of the SageMaker Python SDK, versions 2 and 3, each of which trains by Docker Compose.
 *
 * The SDKs need no AWS for this: keys that are nobody's, `local_code` for v2, and no telemetry.
 */

import { join } from "@std/path";
import { messageOf } from "../../runtime/errors.ts";
import { statIfThere } from "../../runtime/files.ts";
import { ensureCompose } from "../engine/compose.ts";
import { ensureEngine } from "../engine/engine.ts";
import { pypiProblem } from "../engine/pypi.ts";
import { ensurePythonPackage } from "../engine/python_packages.ts";
import { ensureToolkitImage } from "../engine/toolkit_images.ts";
import { say } from "../script.ts";
import { NO_SETTINGS } from "./aws.ts";
import type { Contest, Figure } from "./contest.ts";
import { mlcli, run, type RunOptions, time } from "./program.ts";

/** What the script of each SDK imports, and how it trains; `IMAGE` and `APP` are its arguments. */
const SDKS = {
  "SDK v2": {
    requirement: "sagemaker==2.257.7",
    program: `
import sys
from sagemaker.estimator import Estimator
from sagemaker.local import LocalSession
image, app = sys.argv[1:]
session = LocalSession()
session.config = {"local": {"local_code": True}}
estimator = Estimator(
    image_uri=image, role="arn:aws:iam::111122223333:role/unused", instance_count=1,
    instance_type="local", source_dir=app + "/src", entry_point="train.py",
    sagemaker_session=session, output_path="file://" + app + "/sdk",
)
estimator.fit({"training": "file://" + app + "/data"})
`,
    artifact: "model.tar.gz",
  },
  "SDK v3": {
    requirement: "sagemaker==3.27.0",
    program: `
import sys
from sagemaker.train.configs import Compute, InputData, SourceCode
from sagemaker.train.model_trainer import Mode, ModelTrainer
image, app = sys.argv[1:]
trainer = ModelTrainer(
    training_image=image, training_mode=Mode.LOCAL_CONTAINER,
    source_code=SourceCode(source_dir=app + "/src", entry_script="train.py"),
    compute=Compute(instance_type="local_cpu", instance_count=1),
    input_data_config=[InputData(channel_name="training", data_source=app + "/data")],
    local_container_root=app + "/sdk",
)
trainer.train()
`,
    artifact: "compressed_artifacts/model.tar.gz",
  },
} as const;

const MODEL = "model.json";
const NO_MODEL = "it has written no model";

const FILES = {
  "src/train.py": `import os
with open(os.path.join(os.environ["SM_MODEL_DIR"], "${MODEL}"), "w") as file:
    file.write(str(len(os.listdir(os.environ["SM_CHANNEL_TRAINING"]))))
`,
  "data/a.csv": "1,2\n",
  "shop/mlcli_base/local_test/test_dir/input/data/training/a.csv": "1,2\n",
  // Both SDKs read it; else they tell AWS what is done with them.
  "telemetry.yaml":
    'SchemaVersion: "1.0"\nSageMaker: {PythonSDK: {Modules: {TelemetryOptOut: true}}}\n',
};

/**
 * mlcli as SDK v3 trains: a launcher of its own runs the script, and the image's toolkit, which takes
 * a third of a second, is left alone. Measured to tell the two apart.
 */
const NO_TOOLKIT = "mlcli, no toolkit";

/** The network that the SDKs' containers get. They leave it, and the containers. */
const SDK_NETWORK = "sagemaker-local";

/** The contest, and what it needs while it runs. */
export interface ScriptModeBench extends AsyncDisposable {
  readonly contest: Contest;
}

/** Makes the image, the environments and the app. Undefined, having said why, where they can't be had. */
export async function makeScriptModeBench(
  signal: AbortSignal,
): Promise<ScriptModeBench | undefined> {
  try {
    const problem = await pypiProblem(signal);
    if (!problem) return await makeBench(signal);
    say(`A script's local train is not measured: no package index: ${problem}`);
  } catch (error) {
    signal.throwIfAborted();
    say(`A script's local train is not measured: ${messageOf(error)}`);
  }
  return undefined;
}

async function makeBench(signal: AbortSignal): Promise<ScriptModeBench> {
  const compose = await ensureCompose(signal);
  const pythons = new Map<string, string>();
  for (const [name, { requirement }] of Object.entries(SDKS)) {
    pythons.set(name, await ensurePythonPackage(requirement, signal));
  }
  const engine = await ensureEngine(signal);
  const { address } = engine;
  const image = await ensureToolkitImage("training", engine, signal)
    .finally(() => engine.close());
  const hasNetwork = await run(["docker", "network", "inspect", SDK_NETWORK])
    .then(() => true, () => false);
  const app = await makeApp(image);
  const env = {
    ...compose,
    DOCKER_HOST: address,
    AWS_ACCESS_KEY_ID: "AKIAUNUSED",
    AWS_SECRET_ACCESS_KEY: "unused",
    AWS_DEFAULT_REGION: "eu-west-1",
    ...NO_SETTINGS,
    AWS_EC2_METADATA_DISABLED: "true",
    SAGEMAKER_ADMIN_CONFIG_OVERRIDE: join(app.directory, "telemetry.yaml"),
    SAGEMAKER_USER_CONFIG_OVERRIDE: join(app.directory, "telemetry.yaml"),
    TMPDIR: join(app.directory, "tmp"), // v2 leaves its directories there
  };

  /** Trains by an SDK in a directory that has seen no run, and looks into the artifact. */
  async function bySdk(name: keyof typeof SDKS): Promise<number> {
    const { program, artifact } = SDKS[name];
    const results = join(app.directory, "sdk");
    for (const path of [results, env.TMPDIR]) {
      await Deno.remove(path, { recursive: true }).catch(() => {});
      await Deno.mkdir(path);
    }
    try {
      const line = [pythons.get(name)!, "-c", program, image, app.directory] as const;
      const taken = await time(line, { cwd: app.directory, env });
      const files = await run(["tar", "-tzf", join(results, artifact)]);
      if (!files.split("\n").includes(MODEL)) throw new Error(NO_MODEL);
      return taken;
    } finally {
      await removeContainers(image);
    }
  }

  function measure(name: string): Promise<number> {
    if (name in SDKS) return bySdk(name as keyof typeof SDKS);
    return app.train(...name === NO_TOOLKIT ? ["--launcher", "script"] : []);
  }

  return {
    contest: {
      title: "local train of a script by AWS's toolkit",
      unit: "ms",
      contenders: ["mlcli", ...Object.keys(SDKS), NO_TOOLKIT],
      measure: (name) => orFailure(() => measure(name)),
      goals: Object.keys(SDKS).map((of) => ({ atMost: 0.2, of })),
      rounds: 5,
    },
    async [Symbol.asyncDispose](): Promise<void> {
      if (!hasNetwork) await run(["docker", "network", "rm", SDK_NETWORK]).catch(() => {});
      await Deno.remove(app.directory, { recursive: true });
    },
  };
}

/** An app as `mlcli init` makes it, beside the script and its data. */
async function makeApp(image: string) {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-bench-script-" });
  for (const [name, text] of Object.entries(FILES)) {
    await Deno.mkdir(join(directory, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(directory, name), text);
  }
  const options: RunOptions = { cwd: directory, env: { XDG_STATE_HOME: join(directory, "state") } };
  const code = ["--source-dir", "src", "--entry-point", "train.py"];
  await run(mlcli("init", "shop", "--image", image, ...code), options);
  const model = join(directory, "shop/mlcli_base/local_test/test_dir/model", MODEL);
  return {
    directory,
    /** Trains by mlcli, where no run has left a model. */
    async train(...words: readonly string[]): Promise<number> {
      await Deno.remove(model).catch(() => {});
      const taken = await time(mlcli("local", "train", ...words), options);
      if (!await statIfThere(model)) throw new Error(NO_MODEL);
      return taken;
    },
  };
}

/** Removes the containers that Compose has made of an image. */
async function removeContainers(image: string): Promise<void> {
  const filters = [`ancestor=${image}`, "label=com.docker.compose.project"]
    .flatMap((filter) => ["--filter", filter]);
  const ids = await run(["docker", "ps", "-aq", ...filters]);
  const [first, ...more] = ids.split("\n").filter((id) => id !== "");
  if (first) await run(["docker", "rm", "-f", first, ...more]);
}

/** What was measured; or that it failed, with the last error that was named. */
async function orFailure(measure: () => Promise<number>): Promise<Figure> {
  try {
    return await measure();
  } catch (error) {
    const message = messageOf(error).trimEnd();
    const named = message.match(/\b(?:\w*Error|error): .*/g)?.at(-1);
    return `fails: ${(named ?? message.split("\n").at(-1)!).slice(0, 60)}`;
  }
}
