import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { asWritten, parseJson } from "../../runtime/text.ts";
import evidence from "../evidence/cog.json" with { type: "json" };
import { withContainer } from "../helpers/container.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { engineRequest } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { it, suite } from "../helpers/suite.ts";
import { convertedApp } from "./converted_app.ts";
import { given, outcomesIn } from "./outcomes.ts";

/** The last version that checks inputs in Python, and one that checks them in Rust. */
const JUDGES = [["0.16.12", "MLCLI_TEST_COG_16"], ["0.23.1", "MLCLI_TEST_COG_23"]] as const;

const HI = "data:text/plain;base64,aGk=";

/** Code that cog builds and runs only before 0.17. */
const OLD_SETUP = `
    def setup(self, weights: File):
        self.weights = weights.read().decode()
`;
const OLD_INPUT = `letter: Literal["a", "b"] = "a",`;

/** An input that can be left out since cog 0.17. Before, cog's response to it is invalid. */
const NEW_INPUT = "secret: Secret = Input(default=None),";

const predictor = (isOld: boolean): string =>
  `import io
from typing import Any, List, Literal, Optional
from cog import BasePredictor, File, Input, Path, Secret

class Predictor(BasePredictor):
    weights = "none"
${isOld ? OLD_SETUP : ""}
    def predict(
        self,
        text: str,
        bare: Optional[str],
        count: int = Input(default=1, ge=1, le=5),
        ratio: float = Input(default=0.5),
        flag: bool = Input(default=False),
        word: str = Input(default="abc", min_length=2, max_length=4, regex="^[a-z]*$"),
        size: str = Input(default="big", choices=["big", "small"]),
        number: int = Input(default=2, choices=[1, 2]),
        plain: int = 7,
        items: List[int] = Input(default=[1]),
        maybe: Optional[str] = Input(description="may be left out"),
        bound: Optional[int] = Input(default=None, ge=2),
        image: Optional[Path] = Input(default=None),
        files: List[Path] = Input(default=[]),
        file: Optional[File] = Input(default=None),
        key: Optional[Secret] = Input(default=None),
        ${isOld ? OLD_INPUT : NEW_INPUT}
    ) -> Any:
        if text == "raise":
            raise ValueError("no such word")
        if text == "file":
            out = io.BytesIO()
            out.write(file.read().upper())
            return {"file": out, "weights": self.weights}
        values = {**locals(), "image": image and image.read_text()}
        values["file"] = file and file.read().decode()
        values["files"] = [one.read_text() for one in files]
        values["key"] = key and key.get_secret_value()
        if "secret" in values:
            values["secret"] = secret and secret.get_secret_value()
        return {name: [type(one).__name__, one] for name, one in values.items() if name != "self"}
`;

/** Inputs; most have a valid `text` and `bare`. */
const INPUTS: readonly Readonly<Record<string, unknown>>[] = [
  ...[{}, { text: 1 }, { text: true }, { text: null }, { text: ["a"] }],
  // Optional, but required before cog 0.17: https://github.com/replicate/cog/pull/3051
  ...[{ text: "a" }, { text: "a", bare: null }],
  ...[{ text: "raise", bare: "b" }, { text: "file", bare: "b", file: HI }],
  ...[
    ...[{}, { unknown: 1 }],
    ...["3", 3, parseJson("3.0", asWritten), 3.5, 6, "x", true, null, {}].map((count) => ({
      count,
    })),
    ...["0.25", 1, true, "x"].map((ratio) => ({ ratio })),
    ...["false", "maybe", 0, true].map((flag) => ({ flag })),
    ...["a", "abcde", "A1"].map((word) => ({ word })),
    ...["huge", "small"].map((size) => ({ size })),
    ...[3, "1", 1].map((number) => ({ number })),
    ...["8"].map((plain) => ({ plain })),
    ...[["1"], [1, 2], 3, ["q"]].map((items) => ({ items })),
    ...["x", 5, null].map((maybe) => ({ maybe })),
    ...[1, 3].map((bound) => ({ bound })),
    ...[{ image: HI }, { files: [HI, HI] }, { file: HI }, { key: "k" }, { key: 5 }],
    ...[{ text: "http://a" }, { secret: "s" }, { secret: null }, { letter: "b" }, { letter: "c" }],
  ].map((more) => ({ text: "a", bare: "b", ...more })),
];

interface Answer {
  readonly status: number;
  /** An output, or the mistakes in the inputs. */
  readonly body: unknown;
}

type Answers = Promise<Readonly<Record<string, Answer>>>;

async function answersOf(address: string): Answers {
  return Object.fromEntries(
    await Array.fromAsync(INPUTS, async (input) => {
      let answer: Answer | undefined;
      // For a moment after an answer, cog's server refuses the next request: status 409.
      await eventually(async () => {
        const headers = { "content-type": "application/json" };
        const body = JSON.stringify({ input });
        const response = await fetch(address, { method: "POST", headers, body });
        answer = answerOf(response.status, await response.json());
        return response.status !== 409;
      });
      return [JSON.stringify(input), answer!] as const;
    }),
  );
}

/** The common part: cog has a status 200 for a prediction that fails, and its mistakes in a list. */
function answerOf(status: number, { output, error = "", detail, ...value }: Response): Answer {
  if (status === 200 && value.status === "succeeded") return { status, body: output };
  if (status !== 422) return { status: 500, body: null };
  const mistakes = detail?.map(({ loc, msg }) => `${loc.slice(2).join(".")}: ${msg}`);
  return { status, body: (mistakes ?? error.split("; ")).toSorted() };
}

/** From cog, or from mlcli. */
interface Response {
  readonly status?: string;
  readonly output?: unknown;
  readonly error?: string;
  readonly detail?: readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[];
}

for (const [version, variable] of JUDGES) {
  suite(`a predictor of cog ${version}`, () => {
    const image = given(variable);

    it("the app of a predictor answers as cog's own server", async () => {
      const judge = `mlcli's server, cog ${version}`;
      assertEquals((await outcomesIn(judge, "a cog project")).here, "serves");
      const code = predictor(version === "0.16.12");
      await using work = await makeDirectory({
        "shop/cog.yaml": `build: {sdk_version: "${version}"}\npredict: predict.py:Predictor\n`,
        "shop/predict.py": code,
        "theirs/cog.yaml": "predict: predict.py:Predictor\n",
        "theirs/predict.py": code,
        // As cog build writes it.
        "theirs/.cog/openapi_schema.json": JSON.stringify(evidence.schema),
      });
      const server = (image: string) => ({
        Image: image,
        Cmd: ["-m", "cog.server.http"],
        Entrypoint: ["python3"],
        Env: ["HOME=/tmp", "COG_PREDICT_TYPE_STUB=predict.py:Predictor", `COG_WEIGHTS=${HI}`],
        WorkingDir: "/src",
        Labels: {},
        User: `${Deno.uid()}:${Deno.gid()}`,
        HostConfig: {
          AutoRemove: false,
          Mounts: [{
            Type: "bind",
            Source: join(work.path, "theirs"),
            Target: "/src",
            ReadOnly: true,
          }] as const,
        },
      });
      const asked = (image: string) =>
        withContainer(server(image), async (_engine, id) => {
          const text = await engineRequest("GET", `/containers/${id}/json`, [200]);
          const { NetworkSettings } = JSON.parse(text);
          const address = `http://${NetworkSettings.Networks.bridge.IPAddress}:5000`;
          const ready = () => eventually(() => isReady(`${address}/health-check`));
          await ready().catch(ready);
          return await answersOf(`${address}/predictions`);
        });
      const { ours, theirs } = await bothAnswers(image, join(work.path, "shop"), asked);
      assertEquals(ours, theirs);
      const refused = Object.entries(theirs).filter(([, { status }]) => status === 422);
      const names = refused.map(([input]) => input);
      assertEquals(names, evidence.refused[version]);
    });
  });
}

async function isReady(address: string): Promise<boolean> {
  return await fetch(address).then(
    async (answer) => (await answer.json()).status === "READY",
    () => false,
  );
}

/**
 * Returns the answers of the app that mlcli makes of the project, and those of cog's server in the
 * app's image: with the packages that `init` writes.
 */
async function bothAnswers(image: string, project: string, asked: (image: string) => Answers) {
  await using app = await convertedApp(image, project);
  const model = join(app.directory, app.name, "mlcli_base/local_test/test_dir/model");
  await Deno.writeTextFile(join(model, "weights.txt"), "hi");
  await app.done("build");
  const theirs = await asked(`${app.name}:latest`);
  const address = await app.done("local", "deploy", "--port", "0");
  const url = `${address.replace("localhost", "127.0.0.1")}/invocations`;
  return { ours: await answersOf(url), theirs };
}
