import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import type { ProgramResult } from "../helpers/program.ts";

const HYPERPARAMETERS = "local_test/test_dir/input/config/hyperparameters.json";

function appOf(files: Readonly<Record<string, string>>): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { [TRAINING_DATA]: "1,2\n", ...files },
  });
}

/** What `local train` does with this training code. */
async function train(
  code: string,
  files: Readonly<Record<string, string>> = {},
): Promise<ProgramResult> {
  await using app = await appOf({ "training/training.py": code, ...files });
  return await app.run(["local", "train"]);
}

suite("the harness around training and processing code", () => {
  beforeAll(buildTestImage);

  it("decodes the hyperparameters for a train function that has a parameter for them", async () => {
    const files = {
      [HYPERPARAMETERS]: '{"rate": "0.1", "layers": "[8, 4]", "name": "a b", "flag": "true"}',
    };
    for (const parameter of ["hps", "hps=None", "*, hyperparameters"]) {
      const name = parameter.match(/\w+/)![0];
      const code = `def train(data, model, ${parameter}):\n` +
        `    print(sorted(${name}.items()))\n    open(model + "/m", "w").close()\n`;
      assertEquals(await train(code, files), {
        code: 0,
        stdout: "[('flag', True), ('layers', [8, 4]), ('name', 'a b'), ('rate', 0.1)]\n",
        stderr: "",
      });
    }
  });

  it("takes hyperparameters of any name, whatever a variable may be called", async () => {
    const files = { [HYPERPARAMETERS]: '{"a=b": "1", "c\\u0000": "2", "d": "e\\u0000"}' };
    const code = "def train(data, model, hps):\n" +
      "    print(sorted(hps))\n    open(model + '/m', 'w').close()\n";
    assertEquals(await train(code, files), {
      code: 0,
      stdout: "['a=b', 'c\\x00', 'd']\n",
      stderr: "",
    });
  });

  it("tells a failure whose own words fail", async () => {
    const { code, stderr } = await train(
      "import sys\nclass Bad(Exception):\n    def __str__(self): return 1 / 0\n" +
        "def hook(*_): return 1 / 0\n" +
        "def train(data, model):\n    sys.excepthook = hook\n    raise Bad()\n",
    );
    assertEquals(code, 1);
    assertStringIncludes(stderr, 'File "/opt/ml/code/training.py", line 7, in train');
    assert(!stderr.includes("/opt/mlcli"), stderr);
    assertMatch(stderr, /error: Training failed: Bad \(exit status 1\)\n$/);
  });

  it("runs the code in its own directory, with its neighbours to import", async () => {
    const { stdout } = await train(
      "import os, sys\nimport package.steps\ndef train(data, model):\n" +
        "    print(os.getcwd(), sys.path[0], package.steps.NAME)\n",
      { "training/package/steps.py": "NAME = 'beside'\n" },
    );
    assertEquals(stdout, "/opt/ml/code /opt/ml/code beside\n");
  });

  it("shows what is printed at once, without a flush", async () => {
    // Process 1 of a container cannot kill itself: a child can, with what it has not flushed.
    const child = await train(
      "import os\ndef train(data, model):\n    pid = os.fork()\n    if pid: os.waitpid(pid, 0)\n" +
        "    else:\n        print('printed', end='')\n        os.kill(os.getpid(), 9)\n",
    );
    assertEquals(child.stdout, "printed");
  });

  it("tells the user's frames only, neighbours and causes included", async () => {
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

  it("says what the training code lacks", async () => {
    const cases: readonly [string, string][] = [
      [
        "x = 1\n",
        "mlcli: /opt/ml/code/training.py does not define train(input_data_path, model_save_path)\n",
      ],
      ["def train(: pass\n", "SyntaxError: invalid syntax\n"],
      ["import no_such_package\n", "ModuleNotFoundError: No module named 'no_such_package'\n"],
    ];
    for (const [code, words] of cases) {
      const { code: status, stderr } = await train(code);
      assertEquals(status, 1);
      const [own] = stderr.split("error: ");
      assertStringIncludes(own!, words);
      assert(!/mlcli_harness|importlib/.test(own!), own);
    }
  });

  it("makes the message of SystemExit the reason of the failure", async () => {
    const { code, stderr } = await train("def train(data, model): raise SystemExit('no data')\n");
    assertEquals(code, 1);
    assertEquals(stderr, "no data\nerror: Training failed: no data (exit status 1)\n");
  });

  it("lets child processes end as they would without it", async () => {
    const { code, stdout } = await train(`
import multiprocessing, time

def square(x): return x * x

def train(data, model):
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool: print(pool.map(square, range(3)))
        child = context.Process(target=time.sleep, args=(60,))
        child.start()
        child.terminate()
        child.join(30)
        print(child.exitcode)
`);
    assertEquals({ code, stdout }, { code: 0, stdout: "[0, 1, 4]\n-15\n".repeat(2) });
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
