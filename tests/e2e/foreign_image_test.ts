import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { baseImage, buildImage, containersOf, removeImage } from "../helpers/engine.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Images that mlcli did not build: nothing of its harness is in them. */
const GOOD = `mlcli-test-foreign:${crypto.randomUUID().slice(0, 8)}`;
const WITHOUT_ENTRYPOINT = `mlcli-test-foreign:${crypto.randomUUID().slice(0, 8)}`;

const PROGRAM = `
import http.server, json, os, shutil, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
if sys.argv[1] == "train":
    with open("/opt/ml/input/config/hyperparameters.json") as file: print(json.load(file))
    # An init would hide that a program does not handle SIGTERM, and SageMaker has none.
    with open("/proc/1/comm") as file: print("process 1:", file.read().strip())
    # Neither mlcli nor SageMaker sets them: a toolkit in the image would.
    print("SM_*:", [name for name in os.environ if name.startswith("SM_")])
    shutil.copy("/opt/ml/input/data/training/data.csv", os.environ["ML_MODEL_DIR"])
elif sys.argv[1] == "serve":
    pings = 0
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            global pings
            pings += 1
            # Well for the first look alone, where the model says so.
            if pings > 1 and os.path.exists("/opt/ml/model/ill"): self.send_error(500)
            else: self.answer(b"")
        def do_POST(self):
            with open("/opt/ml/model/data.csv", "rb") as file: self.answer(file.read())
        def answer(self, body):
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    http.server.HTTPServer(("", 8080), Handler).serve_forever()
`;

async function buildForeign(tag: string, entrypoint: string): Promise<void> {
  const dockerfile = `FROM ${baseImage()}\nCOPY program.py /program.py\n${entrypoint}\n`;
  await buildImage(tag, { Dockerfile: dockerfile, "program.py": PROGRAM });
}

function foreignApp(image: string): Promise<TestApp> {
  const [name] = image.split(":");
  return makeApp({
    configuration: { image_name: name },
    files: { [TRAINING_DATA]: "1,2,3\n" },
  });
}

suite("an image that mlcli did not build", () => {
  beforeAll(async () => {
    await buildForeign(GOOD, 'ENTRYPOINT ["python3", "/program.py"]');
    await buildForeign(WITHOUT_ENTRYPOINT, "");
  });
  afterAll(async () => {
    await removeImage(GOOD);
    await removeImage(WITHOUT_ENTRYPOINT);
  });

  it("trains, transforms and serves when it takes train and serve", async () => {
    await using app = await foreignApp(GOOD);
    const tag = ["--docker-tag", GOOD.split(":")[1]!];
    const trained = await app.run(["local", "train", "--hyperparameter", "depth=3", ...tag]);
    assertEquals(trained, {
      code: 0,
      stdout: "{'depth': '3'}\nprocess 1: python3\nSM_*: []\n",
      stderr: "",
    });
    assertEquals(await Deno.readTextFile(app.testPath("model/data.csv")), "1,2,3\n");

    await app.write(`${app.directory}/data/a.csv`, "any\n");
    const transformed = await app.run(["local", "transform", "-i", "data", "-o", "out", ...tag]);
    assertEquals([transformed.code, transformed.stdout], [0, "out\n"], transformed.stderr);
    assertEquals(await Deno.readTextFile(`${app.directory}/out/a.csv.out`), "1,2,3\n");

    const { stdout } = await app.run(["local", "deploy", "--port", "0", ...tag]);
    const port = new URL(stdout).port;
    const response = await fetch(`http://127.0.0.1:${port}/invocations`, { method: "POST" });
    assertEquals(await response.text(), "1,2,3\n");
    assertEquals((await app.run(["local", "stop", "--port", port])).code, 0);
    assertEquals(await containersOf(app.name), []);
  });

  it("whose /ping is 200 once and 500 afterwards is not ready, and leaves nothing", async () => {
    await using app = await foreignApp(GOOD);
    await app.write(app.testPath("model", "ill"), "");
    const { code, stdout, stderr } = await app.run(
      ["local", "deploy", "--port", "0", "--timeout", "5", "-t", GOOD.split(":")[1]!],
    );
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: The server returned 200 for \/ping at first, but later did not \(HTTP 500\)\n {2}[^]*"GET \/ping HTTP\/1\.1" 500[^]*\nhint: Return 200 for each request to \/ping: /,
    );
    assertEquals(await containersOf(app.name), []);
  });

  it("that does not take train is an error that says so, and leaves nothing", async () => {
    await using app = await foreignApp(WITHOUT_ENTRYPOINT);
    const tag = WITHOUT_ENTRYPOINT.split(":")[1]!;
    const { code, stdout, stderr } = await app.run(["local", "train", "--docker-tag", tag]);
    assertEquals({ code, stdout }, { code: 1, stdout: "" });
    assertMatch(
      stderr,
      new RegExp(`^error: ${WITHOUT_ENTRYPOINT} has no train program, which SageMaker requires\n`),
    );
    assertStringIncludes(
      stderr,
      "\nhint: Add to the image an ENTRYPOINT that accepts the argument train",
    );
    assertEquals(await containersOf(app.name), []);
  });
});
