import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import evidence from "../evidence/mlflow.json" with { type: "json" };
import { runToEnd, withContainer } from "../helpers/container.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { engineRequest } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { it, suite } from "../helpers/suite.ts";
import { convertedApp } from "./converted_app.ts";
import { given, outcomesIn } from "./outcomes.ts";

const JUDGES = [["2.22.4", "MLCLI_TEST_MLFLOW_2"], ["3.17.2", "MLCLI_TEST_MLFLOW_3"]] as const;

/** A model in plain Python, and one of scikit-learn with a signature. */
const MODELS = {
  "plain.py": `import mlflow
class Plain(mlflow.pyfunc.PythonModel):
    def predict(self, context, model_input, params=None):
        if isinstance(model_input, dict) and "messages" in model_input:
            return {"choices": [model_input["messages"][0]["content"]]}
        return [sum(row) for row in model_input.values.tolist()]
mlflow.models.set_model(Plain())
`,
  "make.py": `import mlflow, pandas
from mlflow.models import infer_signature
from sklearn.linear_model import LinearRegression
rows = pandas.DataFrame({"area": [50.0, 72.0, 90.0], "rooms": [2.0, 3.0, 5.0]})
model = LinearRegression().fit(rows, [500.0, 700.0, 900.0])
signature = infer_signature(rows, model.predict(rows))
mlflow.sklearn.save_model(model, "/made/flats", signature=signature, input_example=rows)
mlflow.pyfunc.save_model("/made/plain", python_model="/made/plain.py")
`,
};

const JSON_TYPE = "application/json";
const ROW = { area: 50, rooms: 2 };
const SPLIT = { columns: ["area", "rooms"], data: [[50, 2], [90, 5]] };

/** By what is sent: its type, and the body. */
const REQUESTS: Readonly<Record<string, readonly [type: string, body: unknown]>> = {
  "dataframe_split": [JSON_TYPE, { dataframe_split: SPLIT }],
  "dataframe_records": [JSON_TYPE, { dataframe_records: [ROW, ROW] }],
  "instances": [JSON_TYPE, { instances: [ROW] }],
  "inputs": [JSON_TYPE, { inputs: { area: [50, 72], rooms: [2, 3] } }],
  "params": [JSON_TYPE, { dataframe_split: SPLIT, params: { top: 1 } }],
  "messages": [JSON_TYPE, { messages: [{ role: "user", content: "hi" }] }],
  "CSV with a header": ["text/csv", "area,rooms\n50,2\n72,3\n"],
  "CSV without a header": ["text/csv", "50,2\n"],
  "CSV with a charset": ["text/csv; charset=utf-8", "area,rooms\n50,2\n"],
  "another charset": [`${JSON_TYPE}; charset=latin-1`, { instances: [ROW] }],
  "a list": [JSON_TYPE, [[50, 2]]],
  "two formats": [JSON_TYPE, { instances: [ROW], inputs: ROW }],
  "no format": [JSON_TYPE, {}],
  "no JSON": [JSON_TYPE, "area"],
  "nothing": [JSON_TYPE, ""],
  "a word for a number": [JSON_TYPE, { inputs: { area: ["big"], rooms: [2] } }],
  "another type": ["text/plain", "50,2"],
};

/** What a server answered: a prediction's whole body, or the words of an error. */
type Answers = Readonly<Record<string, { readonly status: number; readonly body: unknown }>>;

async function answersOf(address: string): Promise<Answers> {
  return Object.fromEntries(
    await Array.fromAsync(Object.entries(REQUESTS), async ([name, [type, data]]) => {
      const body = typeof data === "string" ? data : JSON.stringify(data);
      const request = { method: "POST", headers: { "content-type": type }, body };
      const response = await fetch(`${address}/invocations`, request);
      const { status } = response;
      const text = await response.text();
      if (status === 200) return [name, { status, body: JSON.parse(text) }];
      // mlflow has {"error_code", "message"}, or plain text; mlcli has {"error"}.
      const value = text.startsWith("{") ? JSON.parse(text) : { error: text };
      // mlflow 3 shows a body's bytes, where mlcli has given it text.
      const words: string = (value.error ?? value.message).replace(/\bb'(\w*)'/, "$1");
      return [name, { status, body: words }];
    }),
  );
}

/** Messages list the formats of a set, whose order this fixes. */
const SEED = "PYTHONHASHSEED=0";

for (const [version, variable] of JUDGES) {
  suite(`a model of mlflow ${version}`, () => {
    const image = given(variable);

    it("is answered for as mlflow models serve answers", async () => {
      const judge = `mlcli's server, mlflow ${version}`;
      assertEquals((await outcomesIn(judge, "an MLflow model")).here, "serves");
      await using work = await makeDirectory(MODELS);
      const body = (...Cmd: readonly string[]) => ({
        Image: image,
        Cmd,
        Entrypoint: [],
        Env: ["HOME=/tmp", SEED],
        Labels: {},
        User: `${Deno.uid()}:${Deno.gid()}`,
        HostConfig: {
          AutoRemove: false,
          Mounts: [{ Type: "bind", Source: work.path, Target: "/made", ReadOnly: false }] as const,
        },
      });
      const made = await runToEnd(body("python3", "/made/make.py"));
      assertEquals(made.status, 0, made.log);
      for (const name of ["flats", "plain"] as const) {
        const serve = ["models", "serve", "--env-manager", "local", "-m", `/made/${name}`];
        const server = body("mlflow", ...serve, "-h", "0.0.0.0", "-p", "5000");
        const theirs = await withContainer(server, async (_engine, id) => {
          const text = await engineRequest("GET", `/containers/${id}/json`, [200]);
          const { NetworkSettings } = JSON.parse(text);
          const address = `http://${NetworkSettings.Networks.bridge.IPAddress}:5000`;
          // It takes 15 s here, and longer than this waits where a machine does much else.
          const ready = () => eventually(() => isThere(`${address}/ping`));
          await ready().catch(ready);
          return await answersOf(address);
        });
        await asWindowsWrites(join(work.path, name, "MLmodel"));
        const { answers: own, log } = await ours(image, join(work.path, name));
        assertEquals(own, theirs, name);
        assertEquals(/mlruns|\[Errno/.exec(log), null, log);
        const answers = Object.entries(theirs).filter(([, { status }]) => status === 200)
          .map(([one, { body }]) => [one, body]);
        assertEquals(rounded(Object.fromEntries(answers)), evidence.answers[name], name);
        for (const [status, names] of Object.entries(evidence.statuses[name])) {
          const such = Object.keys(REQUESTS).filter((one) => `${theirs[one]!.status}` === status);
          assertEquals(such.join(", "), names, `${name}: ${status}`);
        }
      }
    });
  });
}

/** Processors differ in a number's last digits. */
function rounded(value: unknown): unknown {
  const text = JSON.stringify(value, (_, one) => typeof one === "number" ? +one.toFixed(6) : one);
  return JSON.parse(text);
}

async function isThere(address: string): Promise<boolean> {
  return await fetch(address).then((answer) => answer.text().then(() => answer.ok), () => false);
}

/** Names the code of a model as https://github.com/mlflow/mlflow/issues/19744 shows it. */
async function asWindowsWrites(path: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  const inWindows = "C:\\Users\\me\\$1";
  await Deno.writeTextFile(path, text.replace(/(?<=model_code_path: )\S*\/(.+)/, inWindows));
}

/** Runs the app that mlcli makes of a model: its answers, and the log of its server. */
async function ours(
  image: string,
  model: string,
): Promise<{ readonly answers: Answers; readonly log: string }> {
  await using app = await convertedApp(image, model);
  await app.done("build");
  const address = await app.done("local", "deploy", "--port", "0", "--env", SEED);
  const answers = await answersOf(address.replace("localhost", "127.0.0.1"));
  const container = `mlcli-${app.name}-serve-${new URL(address).port}`;
  const logs = `/containers/${container}/logs?stdout=1&stderr=1`;
  return { answers, log: await engineRequest("GET", logs, [200]) };
}
