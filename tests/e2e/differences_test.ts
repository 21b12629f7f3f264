import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** What a command said on standard error: its warnings, without their hints. */
async function warnings(app: TestApp, args: readonly string[]): Promise<readonly string[]> {
  const { code, stderr } = await app.run(["local", ...args]);
  assertEquals(code, 0, stderr);
  const lines = stderr.trimEnd().split("\n").filter((line) => line !== "");
  // Each warning has a line that says what to do.
  assertEquals(
    lines.map((line) => line.split(":")[0]),
    lines.map((_, index) => index % 2 === 0 ? "warning" : "hint"),
    stderr,
  );
  return lines.filter((_, index) => index % 2 === 0).map((line) => line.slice("warning: ".length));
}

const SAVE = 'open(model + "/m", "w").close()';

/** An app whose training has this body, and whose processing script is this. */
function appOf(
  { training = "pass", processing = "", files = {} }: {
    readonly training?: string;
    readonly processing?: string;
    readonly files?: Readonly<Record<string, string>>;
  },
): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: {
      "training/training.py": `import os\ndef train(data, model):\n    ${SAVE}\n${
        training.replace(/^/gm, "    ")
      }\n`,
      "processing/p.py": processing,
      [TRAINING_DATA]: "1,2\n",
      "local_test/test_dir/input/data/processing/p.csv": "3\n",
      "local_test/test_dir/model/old": "",
      ...files,
    },
  });
}

const TRAIN = ["train"];
const PROCESS = ["process", "--file", "p.py"];
const PROBE = "from __future__ import print_function\nimport os, subprocess\n";

suite("what differs on the platform", () => {
  beforeAll(buildTestImage);

  it("is nothing of a run that keeps to what the platform has", async () => {
    await using app = await appOf({
      training: `
os.makedirs("/opt/ml/output/data", exist_ok=True)
open("/opt/ml/output/data/metrics.json", "w").close()
sorted(os.listdir(data)), open(data + "/data.csv").read()
open("/opt/ml/input/config/hyperparameters.json").close()`,
      processing: `${PROBE}
open("/opt/ml/processing/input/p.csv").read()
open("/opt/ml/processing/output/clean.csv", "w").close()
open("/opt/ml/config/processingjobconfig.json").close()`,
    });
    assertEquals(await warnings(app, TRAIN), []);
    assertEquals(await warnings(app, PROCESS), []);
  });

  it("is the model in processing, opened by Python or by another program", async () => {
    for (
      const code of [
        'open("/opt/ml/model/old").close()',
        'subprocess.check_call(["cat", "/opt/ml/model/old"])',
      ]
    ) {
      await using app = await appOf({ processing: PROBE + code });
      assertEquals(await warnings(app, PROCESS), [
        "Processing opened /opt/ml/model/old; on the platform, it has no /opt/ml/model",
      ]);
    }
  });

  it("is a training's input in processing", async () => {
    await using app = await appOf({
      processing: `${PROBE}open("/opt/ml/input/data/training/data.csv").close()`,
    });
    assertEquals(await warnings(app, PROCESS), [
      "Processing opened /opt/ml/input/data/training/data.csv; on the platform, it has no " +
      "/opt/ml/input",
    ]);
  });

  it("is the data for processing in a training, also when that fails", async () => {
    const code = 'open("/opt/ml/input/data/processing/p.csv").close()';
    const words = "Training opened /opt/ml/input/data/processing/p.csv; on the platform, it has " +
      "no /opt/ml/input/data/processing";
    await using app = await appOf({ training: code });
    assertEquals(await warnings(app, TRAIN), [words]);
    await using failing = await appOf({ training: `${code}\nraise SystemExit(3)` });
    const { code: status, stderr } = await failing.run(["local", ...TRAIN]);
    assertEquals(status, 3);
    assertEquals(stderr.split("\n")[0], `warning: ${words}`);
  });

  it("is what processing writes elsewhere, and what it finds of earlier runs", async () => {
    await using app = await appOf({
      processing: `${PROBE}
os.makedirs("/opt/ml/processing/plots/deep")
open("/opt/ml/processing/plots/deep/a.png", "w").close()`,
      files: { "local_test/test_dir/output/old.csv": "" },
    });
    assertEquals(await warnings(app, PROCESS), [
      "Processing wrote /opt/ml/processing/plots/deep/a.png, which nothing keeps, here or on the " +
      "platform",
      `${app.name}/mlcli_base/local_test/test_dir/output also holds what earlier runs left: old.csv`,
    ]);
  });

  it("is what a training leaves in output/, every time", async () => {
    await using app = await appOf({
      training: 'open("/opt/ml/output/metrics.json", "w").close()',
    });
    const expected = [
      "The platform keeps nothing of /opt/ml/output but data/: metrics.json in " +
      `${app.name}/mlcli_base/local_test/test_dir/output would be lost`,
    ];
    assertEquals(await warnings(app, TRAIN), expected);
    assertEquals(await warnings(app, TRAIN), expected);
  });

  it("is what CreateTrainingJob would refuse", async () => {
    await using app = await appOf({
      files: {
        "local_test/test_dir/input/data/my data/x.csv": "1\n",
        "local_test/test_dir/input/config/hyperparameters.json": JSON.stringify({
          ...Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`h${index}`, 1])),
          long: "x".repeat(2501),
          ["n".repeat(257)]: "",
        }),
      },
    });
    const found = await warnings(app, [...TRAIN, "--env", "1BAD=secret"]);
    assertMatch(found[0]!, /^The platform refuses more than 100 hyperparameters.*103/);
    assertMatch(found[1]!, /^The platform refuses hyperparameter names of more than 256 /);
    assertMatch(
      found[2]!,
      /^The platform refuses hyperparameter values of more than 2,500 .*"long"/,
    );
    assertMatch(found[3]!, /^The platform refuses channels of such names: "my data"$/);
    assertMatch(found[4]!, /^The platform refuses environment variables of such names: "1BAD"$/);
    assertEquals([found.length, found.join().includes("secret")], [5, false]);
  });
});
