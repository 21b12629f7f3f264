import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { makeApp, type TestApp } from "../helpers/app.ts";
import {
  baseImage,
  buildImage,
  containersOf,
  pipImage,
  removeImage,
  removeVolumes,
} from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { makeWheel } from "../helpers/package_index.ts";
import { resultOf } from "../helpers/program.ts";
import { lastRun } from "../helpers/runs.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const NAME = `mlcli-test-script-${crypto.randomUUID().slice(0, 8)}`;
const TOOLKIT = `${NAME}:toolkit`;

/**
 * In the place of AWS's toolkit, which takes a minute to install: it unpacks the code and runs it, and
 * leaves the failure file that sagemaker-training 5.1.4 leaves (`deno task test:toolkits` has the real one).
 */
const TRAIN = `#!/usr/bin/env python3
import json, os, subprocess, sys, tarfile
with open("/opt/ml/input/config/hyperparameters.json") as file:
    values = {name: value.strip('"') for name, value in json.load(file).items()}
os.makedirs("/opt/ml/code")
with tarfile.open(values["sagemaker_submit_directory"]) as archive: archive.extractall("/opt/ml/code")
own = [word for name in sorted(values) if not name.startswith("sagemaker_")
       for word in ("--" + name, values[name])]
command = [sys.executable, values["sagemaker_program"], *own]
done = subprocess.run(command, cwd="/opt/ml/code", stderr=subprocess.PIPE, text=True)
sys.stderr.write(done.stderr)
if done.returncode:
    last = "\\n ".join(done.stderr.split("\\n")[-3:]).strip()
    reason = 'ExecuteUserScriptError:\\nExitCode %d\\nErrorMessage "%s"\\nCommand "%s"' % (
        done.returncode, last, " ".join(command))
    with open("/opt/ml/output/failure", "w") as file: file.write(reason)
    print(reason, file=sys.stderr)
    sys.exit(1)
`;

/** A script as people have them: arguments, the variables of SageMaker's images, a neighbour. */
const SCRIPT = `
import argparse, os, signal, sys, time
import neighbour
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
parser.add_argument("--mode", default="")
args = parser.parse_args()
model = os.path.join(os.environ.get("SM_MODEL_DIR", "/opt/ml/model"), "model.txt")
print(args.epochs, os.getcwd(), neighbour.NAME, os.getpid() == 1)
with open("made.txt", "w") as file: file.write("as on SageMaker")
if args.mode == "raise": raise ValueError("no age column")
if args.mode == "exit": sys.exit(7)
def save(*_):
    with open(model, "w") as file: file.write("saved")
    sys.exit(0)
if args.mode == "wait":
    signal.signal(signal.SIGTERM, save)
    print("waiting", flush=True)
    time.sleep(60)
save()
`;

/** An app whose code lies beside it, in `src/`; its image has been typed. */
async function scriptApp(image: string, entryPoint = "train.py"): Promise<TestApp> {
  const app = await makeApp({
    configuration: { image, source_dir: "src", train: { entry_point: entryPoint } },
  });
  const files = { "train.py": SCRIPT, "neighbour.py": "NAME = 'beside'\n" };
  for (const [name, text] of Object.entries(files)) {
    await app.write(join(app.directory, "src", name), text);
  }
  const words = ["--image", image, "--source-dir", "src", "--entry-point", entryPoint];
  assertEquals((await app.run(["init", app.name, ...words])).code, 0);
  return app;
}

suite("a script of the user's own", () => {
  beforeAll(async () => {
    await buildImage(TOOLKIT, {
      Dockerfile: `FROM ${baseImage()}\nCOPY train /usr/local/bin/train\n` +
        "RUN chmod 755 /usr/local/bin/train\n" +
        "ENV SAGEMAKER_TRAINING_MODULE=framework:main\n",
      train: TRAIN,
    });
  });
  afterAll(() => removeImage(TOOLKIT));

  it("trains by mlcli's start script, as SageMaker would start it", async () => {
    await using app = await scriptApp(baseImage());
    const { code, stdout, stderr } = await app.run(
      ["local", "train", "--hyperparameter", "epochs=3"],
    );
    assertEquals([code, stdout, stderr], [0, "3 /opt/ml/code beside True\n", ""]);
    assertEquals(await Deno.readTextFile(app.testPath("model/model.txt")), "saved");
    // It wrote to its own copy.
    assertEquals(await Deno.stat(join(app.directory, "src/made.txt")).catch(() => null), null);
    assertEquals(await containersOf(app.name), []);
    const record = JSON.parse(await Deno.readTextFile(await lastRun(app, "job.json")));
    assertEquals(record.options.launcher, "script");
    // The very archive that would be sent is what ran.
    const strict = await app.run(["local", "train", "--strict", "--hyperparameter", "epochs=2"]);
    assertEquals([strict.code, strict.stdout], [0, "2 /opt/ml/code beside True\n"], strict.stderr);
  });

  it("ends with its own exit status and reason, and hears SIGTERM", async () => {
    await using app = await scriptApp(baseImage());
    const failed = await app.run(["local", "train", "--hyperparameter", "mode=exit"]);
    assertEquals([failed.code, failed.stderr], [7, "error: Training failed: exit code 7\n"]);
    const raised = await app.run(["local", "train", "--hyperparameter", "mode=raise"]);
    assertEquals(raised.code, 1);
    assertStringIncludes(raised.stderr, "\nValueError: no age column\n");
    const stopped = await app.run(
      ["local", "train", "--hyperparameter", "mode=wait", "--stop-after", "2"],
    );
    assertEquals(stopped.code, 0, stopped.stderr);
    assertMatch(stopped.stderr, /It exited 0\.\d s after SIGTERM: exit code 0\./);
  });

  it("may be a script of a shell", async () => {
    await using app = await scriptApp(baseImage(), "train.sh");
    await app.write(join(app.directory, "src/train.sh"), 'echo "$0 $*"; touch "$SM_MODEL_DIR/m"\n');
    const { code, stdout } = await app.run(["local", "train", "--hyperparameter", "epochs=3"]);
    assertEquals([code, stdout], [0, "./train.sh --epochs 3\n"]);
  });

  it("trains by the toolkit in the image, whose reason is its own", async () => {
    await using app = await scriptApp(TOOLKIT);
    const { code, stdout, stderr } = await app.run(
      ["local", "train", "--hyperparameter", "epochs=3"],
    );
    assertEquals([code, stdout], [0, "3 /opt/ml/code beside False\n"], stderr);
    const { code: status, stderr: said } = await app.run(
      ["local", "train", "--hyperparameter", "mode=raise"],
    );
    assertEquals(status, 1);
    assertMatch(
      said,
      /\nerror: Training failed: ValueError: no age column \(train\.py, line \d+\)\n$/,
    );
    const ended = await app.run(["local", "train", "--hyperparameter", "mode=exit"]);
    assertEquals(ended.code, 1);
    assertMatch(
      ended.stderr,
      /error: Training failed: ExecuteUserScriptError, exit code 7 \(exit code 1\)\nhint: To return the script's own exit code \(7\), use --launcher script: AWS's toolkit/,
    );
    const stopped = await app.run(
      [...["local", "train", "--hyperparameter", "mode=wait"], "--stop-after", "2", "--grace", "1"],
    );
    assertEquals(stopped.code, 137, stopped.stderr);
    assertMatch(
      stopped.stderr,
      /\nhint: Save checkpoints regularly, or use --launcher script: AWS's toolkit /,
    );
  });

  it("installs its packages when it starts, and has them in a cache of its app", async () => {
    await using app = await scriptApp(pipImage());
    const wheel = await makeWheel("mlcli_probe", "1.0");
    await app.write(join(app.directory, "src", wheel.name), wheel.bytes);
    await app.write(join(app.directory, "src/requirements.txt"), `./${wheel.name}\n`);
    await app.write(join(app.directory, "src/neighbour.py"), "import mlcli_probe as NAME\n");
    try {
      const { code, stdout, stderr } = await app.run(["local", "train"]);
      assertEquals(code, 0, stderr);
      assertMatch(
        stdout,
        /Successfully installed mlcli-probe-1\.0\n(.*\n)*1 \/opt\/ml\/code <module/,
      );
    } finally {
      assertEquals(await removeVolumes(app.name), [
        `mlcli-pip-${app.name}-${app.mark.slice(0, 12)}`,
      ]);
    }
  });

  it("says which package to add, where the code asks for one", async () => {
    await using app = await scriptApp(baseImage());
    await app.write(join(app.directory, "src/neighbour.py"), "import pandas\n");
    const { code, stderr } = await app.run(["local", "train"]);
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /\nhint: Add pandas to src\/requirements\.txt: it is installed when the code starts\n/,
    );
  });

  it("runs again after an edit with --watch, and lies at its place in a shell", async () => {
    await using app = await scriptApp(baseImage());
    const child = app.start(["local", "train", "--watch"]);
    const said: string[] = [];
    const reading = (async () => {
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) said.push(text);
    })();
    await eventually(() => Promise.resolve(said.join("").includes("beside True")));
    await app.write(join(app.directory, "src/neighbour.py"), "NAME = 'edited'\n");
    await eventually(() => Promise.resolve(said.join("").includes("edited True")));
    child.kill("SIGINT");
    await Promise.all([reading, child.stderr.cancel(), child.status]);
    const { code, stdout } = await app.run(["local", "shell", "--", "cat", "neighbour.py"]);
    assertEquals([code, stdout], [0, "NAME = 'edited'\n"]);
  });

  it("gives way to a command of the image, with its arguments", async () => {
    await using app = await scriptApp(baseImage());
    await app.write(app.testPath("input/data/training/a.csv"), "1");
    const words = ["--command", "/bin/sh", "--command", "-c"];
    const child = app.start(
      [
        "local",
        "train",
        ...words,
        "--",
        'echo "$0 $(ls -d /opt/ml/input/data/training)"; exit 5',
        "a b",
      ],
    );
    const { code, stdout, stderr } = await resultOf(child);
    assertEquals([code, stdout], [5, "a b /opt/ml/input/data/training\n"], stderr);
  });
});
