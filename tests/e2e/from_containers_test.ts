import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { contentOf, makeDirectory, type TestDirectory } from "../helpers/directory.ts";
import { runToEnd } from "../helpers/container.ts";
import { baseImage, pipImage, removeImage } from "../helpers/engine.ts";
import { type ProgramResult, runProgram } from "../helpers/program.ts";
import { itByPypi, PYPI_TIMEOUT } from "../helpers/pypi.ts";
import { it, suite } from "../helpers/suite.ts";

const TRAIN = `#!/usr/bin/env python3
import csv, glob, json
with open("/opt/ml/input/config/hyperparameters.json") as file: leaves = json.load(file)["leaves"]
rows = [row for path in glob.glob("/opt/ml/input/data/training/*") for row in csv.reader(open(path))]
with open("/opt/ml/model/tree.json", "w") as file: json.dump([leaves, len(rows)], file)
`;

const SERVE = `#!/usr/bin/env python3
import http.server, json, signal, sys
from scoring import score
with open("/opt/ml/model/tree.json") as file: model = json.load(file)
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self): self.answer("")
    def do_POST(self):
        self.answer(score(model, self.rfile.read(int(self.headers["Content-Length"])).decode()))
    def answer(self, text):
        self.send_response(200)
        self.send_header("Content-Type", "text/csv")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
http.server.ThreadingHTTPServer(("", 8080), Handler).serve_forever()
`;

/** As scikit_bring_your_own, with Python's own server. */
const container = () => ({
  "trees/container/Dockerfile": [
    `FROM ${baseImage()}`,
    'ENV PATH="/opt/program:\${PATH}"',
    "COPY trees /opt/program",
    "WORKDIR /opt/program",
    "RUN chmod +x train serve",
    "",
  ].join("\n"),
  "trees/container/trees/train": TRAIN,
  "trees/container/trees/serve": SERVE,
  "trees/container/trees/scoring.py":
    'def score(model, text):\n    return "".join("%s %s %s\\n" % (*model, row) for row in text.split())\n',
  "trees/container/local_test/payload.csv": "a\nb\n",
  "trees/container/local_test/test_dir/input/config/hyperparameters.json": '{"leaves": "5"}',
  "trees/container/local_test/test_dir/input/data/training/rows.csv": "1,2\n3,4\n",
});

const COG = {
  "words/cog.yaml": `
build:
  python_version: "3.11"
  python_packages: [six]
  pre_install: ["echo prepared > /prepared"]
environment: [END=!]
predict: "predict.py:Predictor"
`,
  "words/mark.txt": "?",
  "words/lib/tools.py": "def shout(text, times):\n    return text.upper() * times\n",
  "words/predict.py": `
import os
from typing import Iterator, List, Optional
import six
from cog import BaseModel, BasePredictor, Input, Path, Secret
from lib.tools import shout

class Output(BaseModel):
    text: str
    parts: List[str]
    file: Path

def answer(text, times, mark):
    return [shout(six.ensure_str(text), times), mark + os.environ["END"], open("/prepared").read()]

class Predictor(BasePredictor):
    def setup(self, weights=None):
        self.mark = open("mark.txt").read() + (weights.read_text() if weights else "")

    async def predict(
        self,
        text: str = Input(description="what to shout"),
        times: int = Input(default=2, ge=1),
        file: Optional[Path] = Input(description="more to shout"),
        # Optional, unlike other types: https://github.com/replicate/cog/pull/2949
        key: Secret = Input(default=None),
    ) -> Output:
        if text == "raise": raise RuntimeError("no such word")
        text += file.read_text() if file else ""
        text += key.get_secret_value() if key else ""
        with open("/tmp/out.txt", "w") as out: out.write(text)
        return Output(text=text, parts=iter(answer(text, times, self.mark)), file=Path("/tmp/out.txt"))
`,
};

type Mlcli = (...args: readonly string[]) => Promise<ProgramResult>;

/** Makes an app in a directory beside the project, uses it, and removes what that leaves. */
async function using(
  files: Readonly<Record<string, string>>,
  project: string,
  buildOptions: readonly string[],
  work: (mlcli: Mlcli, directory: TestDirectory, app: string) => Promise<void>,
): Promise<void> {
  await using directory = await makeDirectory({ ...files, "here/": "" });
  const name = `test-${crypto.randomUUID().slice(0, 8)}`;
  const cwd = join(directory.path, "here");
  const mlcli: Mlcli = (...args) =>
    runProgram(args, { cwd, ...args[0] === "build" ? { timeout: PYPI_TIMEOUT } : {} });
  const original = join(directory.path, project);
  const before = await contentOf(original);
  try {
    const { code, stderr } = await mlcli("init", name, "--from", `../${project}`);
    assertEquals(code, 0, stderr);
    const made = await contentOf(cwd);
    assertMatch((await mlcli("init", name, "--from", `../${project}`)).stderr, /^Nothing to do/);
    assertEquals(await contentOf(cwd), made);
    const built = await mlcli("build", ...buildOptions);
    assertEquals([built.code, built.stdout], [0, `${name}:latest\n`], built.stderr);
    await work(mlcli, directory, name);
    assertEquals(await contentOf(original), before);
  } finally {
    await removeImage(`${name}:latest`);
  }
}

/** Starts the server, asks it with `ask`, and stops it. */
async function served(
  mlcli: Mlcli,
  work: (ask: (body: string) => Promise<ProgramResult>) => Promise<void>,
): Promise<void> {
  const { code, stdout, stderr } = await mlcli("local", "deploy", "--port", "0");
  assertEquals(code, 0, stderr);
  const { port } = new URL(stdout.trim());
  try {
    await work((body) => mlcli("local", "invoke", "--port", port, body));
  } finally {
    await mlcli("local", "stop", "--port", port);
  }
}

suite("apps that were made for other containers, on the engine", () => {
  it("an image of one's own trains and answers as it did", async () => {
    await using(container(), "trees", [], async (mlcli, { path }) => {
      const trained = await mlcli("local", "train");
      assertEquals(trained.code, 0, trained.stderr);
      await served(mlcli, async (ask) => {
        const { stdout, stderr } = await ask(join(path, "trees/container/local_test/payload.csv"));
        assertEquals(stdout, "5 2 a\n5 2 b\n", stderr);
      });
    });
  });

  itByPypi("a predictor of cog answers what its own functions give", async () => {
    await using(COG, "words", ["--base-image", pipImage()], async (mlcli, { path }, app) => {
      /** The project's own function, called in the image without a server. */
      const called = async (text: string, times: number, mark: string): Promise<unknown> => {
        const code =
          `import json, predict; print(json.dumps(predict.answer("${text}", ${times}, "${mark}")))`;
        const { status, log } = await runToEnd({
          Image: `${app}:latest`,
          Entrypoint: ["python3", "-c", code],
          Cmd: [],
          Env: [],
          WorkingDir: "/opt/program/prediction",
          Labels: {},
          HostConfig: { AutoRemove: false, NetworkMode: "none", Mounts: [] },
        });
        assertEquals(status, 0, log);
        return JSON.parse(log);
      };
      const answers = (text: string, parts: unknown) => {
        const file = `data:text/plain;base64,${btoa(text)}`;
        return { status: "succeeded", output: { text, parts, file } };
      };
      await served(mlcli, async (ask) => {
        for (
          const [input, text, times] of [
            [{ text: "ab" }, "ab", 2],
            [{ text: "a", times: 3, file: "data:text/plain;base64,aGk=", key: "!" }, "ahi!", 3],
          ] as const
        ) {
          const { stdout, stderr } = await ask(JSON.stringify({ input }));
          assertEquals(JSON.parse(stdout), answers(text, await called(text, times, "?")), stderr);
        }
        for (
          const [body, error] of [
            [{ input: {} }, /text: Field required \(HTTP 422\)/],
            [[], /expected \{"input": \{\.\.\.\}\} \(HTTP 422\)/],
            [{ input: { text: "a", file: "http://127.0.0.1/x" } }, /must come in the request.*422/],
            [{ input: { text: "a", file: "/etc/passwd" } }, /must come in the request.*422/],
            [{ input: { text: "a", file: "data:x" } }, /must come in the request.*422/],
            [{ input: { text: "raise" } }, /no such word/],
          ] as const
        ) {
          const { code, stdout, stderr } = await ask(JSON.stringify(body));
          assertEquals([code, stdout], [1, ""]);
          assertMatch(stderr, error);
        }
      });
      const model = join(path, "here", app, "mlcli_base/local_test/test_dir/model");
      await Deno.writeTextFile(join(model, "weights.txt"), "#");
      await served(mlcli, async (ask) => {
        const { stdout } = await ask('{"input": {"text": "x"}}');
        assertEquals(JSON.parse(stdout), answers("x", await called("x", 2, "?#")));
      });
      const data = join(path, "data");
      await Deno.mkdir(data);
      await Deno.writeTextFile(join(data, "a.csv"), "1\n");
      const trained = await mlcli("local", "train", "--input", `training=${data}`);
      assertEquals(trained.code, 1);
      assertMatch(trained.stderr, /write the training of this model into training\/training\.py/);
    });
  });
});
