import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { TestApp } from "../helpers/app.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { runCloud } from "../helpers/cloud.ts";
import { it, suite } from "../helpers/suite.ts";
import { tarGz } from "../helpers/tar.ts";
import { judgedApp, platformWith } from "./app.ts";
import { given, outcomesIn } from "./outcomes.ts";

/** What serves, as the documentation names it, the image, and where the code lies that it runs. */
const JUDGES = [
  [
    "sagemaker-inference 1.10.1, multi-model-server 1.1.11",
    "MLCLI_TEST_INFERENCE",
    "/opt/ml/model/code",
  ],
  ["sagemaker-containers 2.8.6.post2", "MLCLI_TEST_CONTAINERS", "/opt/ml/code"],
] as const;

/** Its four functions, a neighbour, and a package that is installed when it starts. */
const PROGRAM = `import json, os
import mlcli_probe, neighbour
def model_fn(model_dir):
    with open(os.path.join(model_dir, "model.txt")) as file:
        model = file.read()
    if model == "broken":
        raise ValueError("no such model")
    return model
def input_fn(data, content_type):
    return json.loads(data)
def predict_fn(rows, model):
    names = "SAGEMAKER_PROGRAM", "SAGEMAKER_SUBMIT_DIRECTORY", "SAGEMAKER_CONTAINER_LOG_LEVEL"
    code = os.path.dirname(os.path.abspath(__file__))
    return [model, len(rows), code, *map(os.environ.get, names)]
def output_fn(prediction, accept):
    return json.dumps(prediction)
`;

const VARIABLES = ["inference.py", "/opt/ml/model/code", "20"];

/** Servers begin within 3 s here, ten times that on a machine that does much else. In s. */
const TIMEOUT = ["--timeout", "30"];

async function appOf(image: string, model: string): Promise<TestApp> {
  const app = await judgedApp({
    configuration: {
      image,
      s3_prefix: "s3://bucket/app",
      execution_role: EXECUTION_ROLE,
      deploy: { entry_point: "inference.py" },
    },
    code: (wheel) => ({
      "inference.py": PROGRAM,
      "neighbour.py": "",
      // Whoever starts pip in another directory finds it, too.
      "requirements.txt": `/opt/ml/model/code/${wheel}\n`,
    }),
    data: { "model/model.txt": model },
  });
  await app.write(join(app.directory, "rows.json"), "[1, 2, 3]");
  return app;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)).sort();
}

for (const [judge, variable, code] of JUDGES) {
  suite(`a server of the user's own code, by ${judge}`, () => {
    const image = given(variable);

    it("inference.py: as the documentation says", async () => {
      assertEquals((await outcomesIn(judge, "`inference.py`")).here, "serves");
      for (const options of [[], ["--strict"]]) {
        await using app = await appOf(image, "seven");
        const source = await namesIn(join(app.directory, "src"));
        const deploy = ["local", "deploy", "--image", image, "--port", "0", ...TIMEOUT, ...options];
        const deployed = await app.run(deploy);
        assertEquals(deployed.code, 0, deployed.stderr);
        const port = ["--port", new URL(deployed.stdout.trim()).port];
        const answer = await app.run(["local", "invoke", "rows.json", ...port]);
        assertEquals(answer.code, 0, answer.stderr);
        assertEquals(JSON.parse(answer.stdout), ["seven", 3, code, ...VARIABLES]);
        const stopped = await app.run(["local", "stop", ...port]);
        assertEquals(stopped.code, 0, stopped.stderr);
        // What it was given is as it was.
        assertEquals(await namesIn(app.testPath("model")), ["model.txt"]);
        assertEquals(await namesIn(join(app.directory, "src")), source);
      }
    });

    it("inference.py: there, too", async () => {
      assertEquals((await outcomesIn(judge, "`inference.py`")).there, "serves");
      await using app = await appOf(image, "here");
      const { box, reference } = await platformWith(image);
      await using _box = box;
      Object.assign(box.hosting.settings, { pingInterval: 50, healthyPings: 2 });
      const model = await tarGz([{ name: "model.txt", content: "there" }]);
      await box.s3.put("bucket", "model.tar.gz", model);
      const done = async (...args: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await runCloud(box, args, {
          cwd: app.directory,
          env: { XDG_STATE_HOME: app.state },
        });
        assertEquals(code, 0, stderr);
        return stdout;
      };
      const endpoint = ["-n", "judge"];
      await done(
        ...["deploy", ...endpoint, "--image", reference, "-m", "s3://bucket/model.tar.gz"],
        ...["-e", "ml.m5.large"],
      );
      const answer = await done("invoke-endpoint", ...endpoint, "rows.json");
      assertEquals(JSON.parse(answer), ["there", 3, code, ...VARIABLES]);
      await done("delete-endpoint", ...endpoint, "--delete-config", "--delete-model", "--wait");
    });

    it("a model that cannot be loaded is told, at the latest by the first request", async () => {
      await using app = await appOf(image, "broken");
      const deploy = ["local", "deploy", "--image", image, "--port", "0", ...TIMEOUT];
      const deployed = await app.run(deploy);
      if (deployed.code !== 0) return assertStringIncludes(deployed.stderr, "no such model");
      // It answers /ping before it has loaded the model, and when it could not.
      const port = ["--port", new URL(deployed.stdout.trim()).port];
      const answer = await app.run(["local", "invoke", "rows.json", ...port]);
      assertEquals((await app.run(["local", "stop", ...port])).code, 0);
      assertEquals(answer.code, 1, answer.stdout);
      assertStringIncludes(answer.stdout + answer.stderr, "no such model");
    });
  });
}
