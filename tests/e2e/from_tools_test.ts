import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { filesBelow, makeDirectory } from "../helpers/directory.ts";
import { baseImage, removeLeftovers, sklearnImage } from "../helpers/engine.ts";
import { type ProgramResult, runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const EASY_SM = {
  "requirements.txt": "",
  "src/sizes.py": "def mean(frame): return float(frame[0].mean())\n",
  "src/easy_sm_base/training/training.py": `import json, os
import pandas as pd
from sizes import mean
def train(input_data_path, model_save_path):
    frame = pd.read_csv(os.path.join(input_data_path, "sizes.csv"), header=None)
    with open(os.path.join(model_save_path, "model.json"), "w") as file:
        json.dump({"mean": mean(frame)}, file)
`,
  "src/easy_sm_base/local_test/test_dir/input/data/training/sizes.csv": "10,1\n20,2\n",
  "src/easy_sm_base/prediction/serve": `import json, os
from io import StringIO
import flask
from flask import Flask, Response
import pandas as pd
def model_fn(model_dir):
    with open(os.path.join(model_dir, "model.json")) as file: return json.load(file)
def predict_fn(input_data, model): return (input_data.sum(axis=1) - model["mean"]).values
app = Flask(__name__)
model = model_fn(model_dir='/opt/ml/model')
@app.route("/invocations", methods=["POST"])
def predict():
    table = pd.read_csv(StringIO(flask.request.data.decode()), header=None)
    return Response(response=str(predict_fn(table, model)))
if __name__ == "__main__": app.run(port=8080)
`,
};

const SAGIFY = {
  "requirements.txt": "sagify\n",
  "src/logic.py": "def fit(depth): return {'depth': depth}\n",
  "src/sagify_base/training/training.py": `import json, os
from sagify.api.hyperparameter_tuning import log_metric
from logic import fit
def train(input_data_path, model_save_path, hyperparams_path=None):
    with open(hyperparams_path) as file: depth = int(json.load(file)["depth"])
    with open(os.path.join(model_save_path, "model.json"), "w") as file: json.dump(fit(depth), file)
    log_metric("Quality", 0.5)
`,
  "src/sagify_base/local_test/test_dir/input/config/hyperparameters.json": '{"depth": 3}',
  "src/sagify_base/local_test/test_dir/input/data/training/a.csv": "1\n",
  "src/sagify_base/prediction/prediction.py": `import json
class ModelService(object):
    model = None
    @classmethod
    def get_model(cls):
        if cls.model is None:
            with open("/opt/ml/model/model.json") as file: cls.model = json.load(file)
        return cls.model
def predict(json_input): return [ModelService.get_model()["depth"] * one for one in json_input["rows"]]
`,
};

/** From the project to an answer: what training prints, and the answer. */
async function road(
  project: Readonly<Record<string, string>>,
  keys: Readonly<Record<string, string>>,
  image: string,
  type: string,
  body: string,
): Promise<readonly [string, string]> {
  const name = `test-${crypto.randomUUID().slice(0, 8)}`;
  const tool = "easy_sm_module_dir" in keys ? `${name}.json` : ".sagify.json";
  const all = { ...project, [tool]: JSON.stringify({ image_name: name, ...keys }) };
  await using there = await makeDirectory(all);
  await using here = await makeDirectory();
  const state = join(here.path, ".state");
  const run = async (...args: readonly string[]): Promise<ProgramResult> => {
    const env = { XDG_STATE_HOME: state, MLCLI_BASE_IMAGE: image };
    const result = await runProgram(args, { cwd: here.path, env });
    assertEquals(result.code, 0, `${args.join(" ")}: ${result.stderr}`);
    return result;
  };
  try {
    await run("init", "--from", there.path);
    const made = await filesBelow(here.path);
    assertEquals((await run("init", "--from", there.path)).stdout, "");
    assertEquals(await filesBelow(here.path), made);
    await run("build");
    const { stdout } = await run("local", "train");
    const address = (await run("local", "deploy", "--port", "0")).stdout.trim();
    const request = { method: "POST", body, headers: { "Content-Type": type } };
    const answer = await (await fetch(`${address}/invocations`, request)).text();
    await run("local", "stop", "--port", new URL(address).port);
    assertEquals(await filesBelow(there.path), all);
    return [stdout, answer];
  } finally {
    await removeLeftovers(name);
  }
}

suite("an app of another tool's project", () => {
  it("of easy_sm trains, and answers as its functions do", async () => {
    const keys = { easy_sm_module_dir: "src", requirements_dir: "requirements.txt" };
    assertEquals(await road(EASY_SM, keys, sklearnImage(), "text/csv", "1,2\n3,40\n"), [
      "",
      "-12.0\n28.0\n",
    ]);
  });

  it("of sagify trains, prints its metrics, and answers as its function does", async () => {
    const keys = { sagify_module_dir: "src", requirements_dir: "requirements.txt" };
    assertEquals(await road(SAGIFY, keys, baseImage(), "application/json", '{"rows": [1, 2]}'), [
      "Quality: 0.5\n",
      "[3, 6]",
    ]);
  });
});
