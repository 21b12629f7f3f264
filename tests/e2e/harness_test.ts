import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import type { ProgramResult } from "../helpers/program.ts";

function appOf(files: Readonly<Record<string, string>>): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { [TRAINING_DATA]: "1,2\n", ...files },
  });
}

async function train(
  code: string,
  files: Readonly<Record<string, string>> = {},
): Promise<ProgramResult> {
  await using app = await appOf({ "training/training.py": code, ...files });
  return await app.run(["local", "train"]);
}

suite("the harness around training and processing code", () => {
  beforeAll(buildTestImage);

  it("reports an exception even if making its text fails", async () => {
    const { code, stderr } = await train(
      "import sys\nclass Bad(Exception):\n    def __str__(self): return 1 / 0\n" +
        "def hook(*_): return 1 / 0\n" +
        "def train(data, model):\n    sys.excepthook = hook\n    raise Bad()\n",
    );
    assertEquals(code, 1);
    assertStringIncludes(stderr, 'File "/opt/ml/code/training.py", line 7, in train');
    assert(!stderr.includes("/opt/mlcli"), stderr);
    assertMatch(stderr, /error: Training failed: Bad \(training\.py, line 7\)\n$/);
  });

  it("shows what is printed at once, without a flush", async () => {
    // Process 1 of a container cannot kill itself: a child can, with what it has not flushed.
    const child = await train(
      "import os\ndef train(data, model):\n    pid = os.fork()\n    if pid: os.waitpid(pid, 0)\n" +
        "    else:\n        print('printed', end='')\n        os.kill(os.getpid(), 9)\n",
    );
    assertEquals(child.stdout, "printed");
  });

  it("shows a traceback of the user's own files alone, with causes and imported modules", async () => {
    const { code, stderr } = await train(
      "import steps\ndef train(data, model):\n    steps.clean()\n",
      {
        "training/steps.py":
          "def clean():\n    try: {}['age']\n    except KeyError as error: raise ValueError('no age') from error\n",
      },
    );
    assertEquals(code, 1);
    const [traceback] = stderr.split("error: ");
    assertStringIncludes(traceback!, "KeyError: 'age'");
    assertStringIncludes(traceback!, 'File "/opt/ml/code/training.py", line 3, in train');
    assert(!/mlcli_harness|importlib/.test(traceback!), traceback);
  });

  it("runs a processing script as the main program", async () => {
    await using app = await appOf({
      "processing/steps/clean.py": `
import multiprocessing, pickle, sys
import columns

class Row: pass
def square(x): return x * x

if __name__ == "__main__":
    print(sys.argv, __file__, columns.NAMES, type(pickle.loads(pickle.dumps(Row()))).__name__)
    with multiprocessing.get_context("spawn").Pool(1) as pool: print(pool.map(square, [3]))
`,
      "processing/columns.py": "NAMES = ['age']\n",
      "local_test/test_dir/input/data/processing/table.csv": "a\n",
    });
    const file = "/opt/ml/code/steps/clean.py";
    assertEquals(await app.run(["local", "process", "--file", "steps/clean.py"]), {
      code: 0,
      stdout: `['${file}'] ${file} ['age'] Row\n[9]\n`,
      stderr: "",
    });
  });
});
