import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { runOnTerminal } from "../helpers/terminal.ts";

/** Prints as a progress bar does, too, and ends with the line of an exception. */
const CODE = `
import sys
def train(input_data_path, model_save_path, hyperparameters):
    for epoch in range(1, 5):
        print("epoch %d loss=%.3f" % (epoch, 1 / epoch))
        sys.stderr.write("\\r%d%% auc: 0.%d" % (25 * epoch, epoch + 4))
    sys.stderr.write("\\n")
    open(model_save_path + "/m", "w").close()
    if hyperparameters.get("fail"): import sklearn
`;

function trainingApp(): Promise<TestApp> {
  return makeApp({
    configuration: {
      image_name: TEST_IMAGE,
      metric_definitions: [
        { Name: "loss", Regex: "loss=([0-9.]+)" },
        { Name: "auc", Regex: "auc: (\\S+)" },
        { Name: "unseen", Regex: "f1=(\\S+)" },
      ],
    },
    files: { "training/training.py": CODE, [TRAINING_DATA]: "1,2\n" },
  });
}

suite("the metrics of a training", () => {
  beforeAll(buildTestImage);

  it("are found, kept, listed and compared", async () => {
    await using app = await trainingApp();
    const { code, stdout, stderr } = await app.run(["local", "train"]);
    assertEquals([code, stdout.split("\n")[0]], [0, "epoch 1 loss=1.000"]);
    assertMatch(
      stderr,
      /^\r25% auc: 0\.5\r50% auc: 0\.6\r75% auc: 0\.7\r100% auc: 0\.8\nwarning: .*"unseen" matched no line of the log\nhint: .*\n$/,
    );
    await app.write(app.path("training/training.py"), `${CODE}# edited\n`);
    const failed = await app.run(["local", "train", "--hyperparameter", "fail=1"]);
    assertEquals(failed.stderr.match(/Traceback/g)?.length, 1, failed.stderr);
    assertStringIncludes(
      failed.stderr,
      "error: Training failed: ModuleNotFoundError: No module named 'sklearn' (training.py, line 9)\n" +
        "hint: Add scikit-learn to requirements.txt, then run mlcli build\n",
    );
    const listed = await app.run(["local", "list-jobs", "--output", "json"]);
    const [second, first] = JSON.parse(listed.stdout);
    assertEquals([first.status, first.metrics.auc], [
      "Completed",
      { last: 0.8, min: 0.5, max: 0.8, count: 4 },
    ]);
    assertEquals([second.status, second.exit_status], ["Failed", 1]);
    const folder = app.path("local_test/jobs", first.name);
    const { packages, python, image } = JSON.parse(await Deno.readTextFile(`${folder}/job.json`));
    assertMatch(python, /^3\.\d+\.\d+$/);
    assert(typeof packages.gunicorn === "string", JSON.stringify(packages));
    assertMatch(image.id, /^sha256:/);
    assertEquals((await Deno.readTextFile(`${folder}/metrics.csv`)).split("\n").length, 10);
    const compared = await app.run(["local", "list-jobs", "2", "last"]);
    assertStringIncludes(compared.stdout, "\nhyperparameter fail  -  1\n");
    assertStringIncludes(compared.stdout, "\nstatus  Completed  Failed\n");
    assertStringIncludes(compared.stdout, "\n+# edited\n");
  });

  it("metrics stay below the output on a terminal, and are removed at the end", async () => {
    await using app = await trainingApp();
    const { code, screen } = await runOnTerminal(["local", "train"], app.directory);
    assertEquals(code, 0);
    // The two streams come in any order: the line has what was there by then.
    // deno-lint-ignore no-control-regex
    const line = /\r(?:loss [\d.]+|auc [\d.]+|loss [\d.]+ {2}auc [\d.]+)\x1b\[K\r/g;
    assertMatch(screen, line);
    // deno-lint-ignore no-control-regex
    const removed = /\r\x1b\[K/g;
    const stays = screen.replaceAll(line, "").replaceAll(removed, "");
    const [left = "", end = ""] = stays.split("Metrics: ");
    assertMatch(end, /^loss 0\.25 {2}auc 0\.8\r\nCurves: mlcli local ui\r\n/);
    assert(!/loss \d|auc \d/.test(left), left);
    for (const text of ["epoch 1 loss=1.000", "epoch 4 loss=0.250", "100% auc: 0.8"]) {
      assertStringIncludes(left, text);
    }
  });
});
