import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { namesIn } from "../helpers/directory.ts";
import { baseImage, withoutApp } from "../helpers/engine.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/**
 * Runs what the variable DO says, since under --strict the code is the image's; `seen` is what a
 * container shows of what mlcli made it of.
 */
const LIBRARY = `
import json, os

def mounts():
    found = [line.split() for line in open("/proc/self/mountinfo")]
    return sorted((words[4], words[5].split(",")[0]) for words in found if words[4].startswith("/opt/"))

def seen(where):
    print(json.dumps({
        "mounts": mounts(),
        "places": [path for path in ("/opt/ml/code", "/opt/ml/model", "/opt/ml/input",
            "/opt/ml/input/data/processing") if os.path.exists(path)],
        "environment": sorted(name for name in os.environ if name[:5] in ("MLCLI", "MLCLI_")),
        "isFirst": os.getpid() == 1,
        "file": os.path.realpath(where),
    }))

def do(model=None):
    exec(os.environ.get("DO", ""))
`;

const FILES = {
  "training/training.py": `${LIBRARY}
def train(data, model):
    seen(__file__)
    open(model + "/model.txt", "w").write("new")
    do(model)
    open("/opt/ml/output/data/last", "w").close()
`,
  "processing/p.py": `${LIBRARY}
seen(__file__)
do()
open("/opt/ml/processing/output/last", "w").close()
`,
  "prediction/serve": `${LIBRARY}
def model_fn(model_dir):
    return open(model_dir + "/model.txt").read()
def predict_fn(data, model):
    return [model, [list(mount) for mount in mounts()], os.path.realpath(__file__)]
`,
};

const DATA = {
  [TRAINING_DATA]: "1,2\n",
  "local_test/test_dir/input/data/processing/p.csv": "1\n",
  "local_test/test_dir/model/model.txt": "old",
};

interface Seen {
  readonly mounts: readonly (readonly [target: string, mode: string])[];
  readonly places: readonly string[];
  readonly environment: readonly string[];
  readonly isFirst: boolean;
  readonly file: string;
}

function seenIn({ stdout }: ProgramResult): Seen {
  return JSON.parse(stdout.split("\n")[0]!);
}

const REPORT = ["/opt/mlcli/report", "rw"] as const;
const TRAIN = ["local", "train", "--strict"];
const PROCESS = ["local", "process", "-f", "p.py", "--strict"];

suite("--strict on an image of the app's own", () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await makeApp({
      configuration: { base_image: baseImage() },
      files: { ...FILES, ...DATA },
    });
    for (const args of [["init", app.name], ["build"]]) {
      const { code, stderr } = await app.run(args);
      assertEquals({ args, code, stderr }, { args, code: 0, stderr });
    }
    // Otherwise --strict would be against code that differs from the image's.
    await withoutApp(`${app.name}:latest`);
  });
  afterAll(async () => await app?.[Symbol.asyncDispose]());

  async function arrange(): Promise<void> {
    for (const name of ["model", "output"]) {
      await Deno.remove(app.testPath(name), { recursive: true }).catch(() => {});
    }
    await app.write(app.testPath("model/model.txt"), "old");
  }

  const change = (path: string, text: string) => app.write(app.path(path), text);

  it("gives a training what SageMaker gives, and puts its model in place", async () => {
    await arrange();
    await change(
      "training/training.py",
      "raise ImportError('this is not the code of the image')\n",
    );
    const result = await app.run(TRAIN);
    assertEquals([result.code, result.stderr], [0, ""]);
    assertEquals(seenIn(result), {
      mounts: [
        ["/opt/ml/input", "rw"],
        ["/opt/ml/input/data/training", "ro"],
        ["/opt/ml/model", "rw"],
        ["/opt/ml/output", "rw"],
        REPORT,
      ],
      places: ["/opt/ml/code", "/opt/ml/model", "/opt/ml/input"],
      environment: [],
      isFirst: true,
      file: "/opt/program/training/training.py",
    });
    assertEquals(await Deno.readTextFile(app.testPath("model/model.txt")), "new");

    // Without it, the app's own code runs, and all that the specification mounts is there.
    await change("training/training.py", FILES["training/training.py"]);
    const usual = seenIn(await app.run(["local", "train"]));
    assertEquals([usual.isFirst, usual.places.length], [false, 4]);
    assertEquals(usual.file, "/opt/ml/code/training.py");
  });

  it("gives a processing script what SageMaker gives", async () => {
    await arrange();
    const result = await app.run(PROCESS);
    assertEquals([result.code, result.stderr], [0, ""]);
    assertEquals(seenIn(result), {
      mounts: [
        ["/opt/ml/config", "rw"],
        ["/opt/ml/output", "rw"],
        ["/opt/ml/processing/input", "ro"],
        ["/opt/ml/processing/output", "rw"],
        REPORT,
      ],
      places: ["/opt/ml/code"],
      environment: [],
      isFirst: true,
      file: "/opt/program/processing/p.py",
    });
    assertEquals(await namesIn(app.testPath("output")), ["last"]);
    const usual = seenIn(await app.run(PROCESS.slice(0, -1)));
    assertEquals(usual.places, [
      "/opt/ml/code",
      "/opt/ml/model",
      "/opt/ml/input",
      "/opt/ml/input/data/processing",
    ]);
  });

  it("has no path that SageMaker lacks: opening one fails, without a warning", async () => {
    await arrange();
    const args = [...PROCESS, "--env", 'DO=open("/opt/ml/model/model.txt")'];
    const { code, stderr } = await app.run(args);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "FileNotFoundError");
    assertEquals(stderr.includes("platform"), false, stderr);
  });

  it("serves with the image's own code, read-only and without more than its model", async () => {
    await arrange();
    await change("prediction/serve", "raise ImportError('this is not the code of the image')\n");
    try {
      const { code, stdout, stderr } = await app.run(["local", "deploy", "--strict", "-p", "0"]);
      assertEquals([code, stderr], [0, ""]);
      const response = await fetch(`http://127.0.0.1:${new URL(stdout.trim()).port}/invocations`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: "{}",
      });
      assertEquals(Object.values(await response.json()), [
        ["old", [["/opt/ml/model", "ro"]], "/opt/program/prediction/serve"],
      ]);
      assertEquals((await app.run(["local", "stop", "-p", new URL(stdout.trim()).port])).code, 0);
    } finally {
      await change("prediction/serve", FILES["prediction/serve"]);
    }
  });
});
