import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { withTag } from "../../runtime/app/app.ts";
import { packTo } from "../../runtime/archive/pack.ts";
import { type Trial, tryServing } from "../../runtime/cloud/preflight/serving.ts";
import { Interrupted, MlcliError } from "../../runtime/errors.ts";
import { archiveOf } from "../../runtime/cloud/deploy/packing.ts";
import { roomFor } from "../../runtime/contract/instances.ts";
import { modelFiles } from "../../runtime/model/files.ts";
import { makeApp, TRAINING_OF_LINK } from "../helpers/app.ts";
import { appObject } from "../helpers/app_object.ts";
import { makeDirectory, type TestDirectory } from "../helpers/directory.ts";
import {
  baseImage,
  buildImage,
  containersOf,
  engineRequest,
  removeImage,
  withEngine,
} from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { Keys } from "../helpers/in_process.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const NAME = `mlcli-test-trial-${crypto.randomUUID().slice(0, 8)}`;
const SIGNAL = new AbortController().signal;

const PROGRAM = `
import http.server, os, sys
os.dup2(1, 2) # the engine keeps no order between two streams
what = os.environ.get("DO", "200")
print("serving", sys.argv[1:], os.environ.get("AWS_REGION"), flush=True)
def look():
    # What SageMaker makes of the archive, as the server's user sees it.
    for folder, _, names in sorted(os.walk("/opt/ml/model")):
        for name in sorted(names):
            path = os.path.join(folder, name)
            state = os.stat(path)
            print(path, oct(state.st_mode & 0o777), state.st_uid, open(path).read(), flush=True)
    try: open("/opt/ml/model/new", "w")
    except OSError as error: print("new:", error.strerror, flush=True)
    for line in open("/proc/self/status"):
        if line.startswith(("NoNewPrivs", "CapBnd")): print(*line.split(), flush=True)
if what == "end": sys.exit("no model\\x1b[2J")
if what == "look":
    look()
    sys.exit(3)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(what) if what.isdigit() else 200)
        self.end_headers()
    def log_message(self, *_): pass
if what == "nothing":
    import time
    print("loading", flush=True)
    while True: time.sleep(1)
print("listening", flush=True)
http.server.HTTPServer(("127.0.0.1" if what == "loopback" else "", 8080), Handler).serve_forever()
`;

async function packedModel(): Promise<TestDirectory> {
  const directory = await makeDirectory({
    "model/weights.bin": "w",
    "model/code/run.sh": "#!",
  });
  await Deno.chmod(join(directory.path, "model/code/run.sh"), 0o700);
  await Deno.chmod(join(directory.path, "model/weights.bin"), 0o600);
  const { entries } = await modelFiles(join(directory.path, "model"), "model", SIGNAL);
  const fail = (shown: string): Error => new Error(shown);
  const errors = { gone: fail, cannotRead: fail, gotShorter: fail };
  await packTo(join(directory.path, "model.tar.gz"), entries, errors, SIGNAL);
  return directory;
}

async function tried(
  variables: Readonly<Record<string, string>>,
  more: Partial<Trial> & { readonly keys?: Keys } = {},
): Promise<readonly string[]> {
  await using directory = await packedModel();
  const { keys = new Keys(), ...rest } = more;
  const notes: string[] = [];
  const trial: Trial = {
    app: withTag(appObject("/nonexistent", NAME), "v1"),
    archive: join(directory.path, "model.tar.gz"),
    variables,
    region: "eu-west-1",
    seconds: 60,
    instanceType: "ml.m5.large",
    ...rest,
  };
  await withEngine((engine) =>
    tryServing(
      trial,
      { engine: () => Promise.resolve(engine), interruption: keys.interruption },
      (text) => notes.push(text),
    )
  );
  return notes;
}

async function failureOf(
  variables: Readonly<Record<string, string>>,
  more?: Partial<Trial>,
): Promise<MlcliError> {
  const error = await assertRejects(() => tried(variables, more), MlcliError);
  assertEquals(await leftOver(), []);
  return error;
}

async function leftOver(): Promise<readonly string[]> {
  return (await containersOf(NAME)).map(({ Id }) => Id);
}

suite("trying a model here", () => {
  beforeAll(async () => {
    const entrypoint = 'USER nobody\nENTRYPOINT ["python3", "/program.py"]';
    await buildImage(`${NAME}:v1`, {
      // What the image has in the model's place is not there on SageMaker.
      Dockerfile: `FROM ${baseImage()}\nCOPY program.py /program.py\n` +
        `RUN mkdir -p /opt/ml/model && echo old > /opt/ml/model/baked\n${entrypoint}\n`,
      "program.py": PROGRAM,
    });
  });
  afterAll(() => removeImage(`${NAME}:v1`));

  it("is content with a server that answers 200, and leaves nothing", async () => {
    assertEquals(await tried({}), []);
    assertEquals(await leftOver(), []);
  });

  it("lays the model out as SageMaker does: unpacked, root's, not to be written to; and lets it do as little", async () => {
    const { message, quote } = await failureOf({ DO: "look" });
    assertEquals(message, "In a local test, the server exited before it was ready: exit code 3");
    assertEquals(
      quote,
      [
        "serving ['serve'] eu-west-1",
        "/opt/ml/model/weights.bin 0o644 0 w",
        "/opt/ml/model/code/run.sh 0o755 0 #!",
        "new: Read-only file system",
        // Docker's own, without MKNOD and SETFCAP.
        "CapBnd: 00000000200425fb",
        "NoNewPrivs: 1",
        "",
      ].join("\n"),
    );
  });

  it("shows the last lines of a server that ends, fit for a terminal", async () => {
    const { message, quote, hint } = await failureOf({ DO: "end" });
    assertEquals(message, "In a local test, the server exited before it was ready: exit code 1");
    assertEquals(quote, "serving ['serve'] eu-west-1\nno model?[2J\n");
    assertMatch(hint!, /Debug it locally: mlcli local deploy/);
  });

  for (
    const [what, variables, words, log] of [
      [
        "answers 500",
        { DO: "500" },
        /did not return 200 for \/ping within 6 s \(HTTP 500\)/,
        "listening",
      ],
      [
        "never answers",
        { DO: "nothing" },
        /did not return 200 for \/ping within 6 s \(it does not listen on any port yet\)/,
        "loading",
      ],
      [
        "listens on 127.0.0.1 alone",
        { DO: "loopback" },
        /within 6 s \(it listens on 127\.0\.0\.1:8080 in the container, but must listen on 0\.0\.0\.0:/,
        "listening",
      ],
    ] as const
  ) {
    it(`does not wait longer than the health check for a server that ${what}`, async () => {
      const { message, quote } = await failureOf(variables, { seconds: 6 });
      assertMatch(message, words);
      assertEquals(quote, `serving ['serve'] eu-west-1\n${log}\n`);
    });
  }

  it("begins nothing after Ctrl-C", async () => {
    const keys = new Keys();
    keys.press();
    await assertRejects(() => tried({}, { keys }), Interrupted);
    assertEquals(await leftOver(), []);
  });

  it("leaves neither a container nor a volume after Ctrl-C while it waits", async () => {
    const keys = new Keys();
    const trial = assertRejects(() => tried({ DO: "nothing" }, { keys }), Interrupted);
    let volumes: readonly string[] = [];
    await eventually(async () => {
      const containers = await containersOf(NAME);
      volumes = containers.flatMap(({ Mounts = [] }) => Mounts).flatMap((mount) =>
        (mount as { Name?: string }).Name ?? []
      );
      return containers.some(({ State }) => State === "running");
    });
    keys.press();
    await trial;
    assertEquals(await leftOver(), []);
    assertEquals(volumes.length > 0, true);
    for (const volume of volumes) await engineRequest("GET", `/volumes/${volume}`, [404]);
  });

  it("is a note where the model is for GPUs, which this machine may not have", async () => {
    const notes = await tried({ DO: "end" }, { instanceType: "ml.g5.xlarge" });
    assertEquals(notes, [
      "In a local test, the server exited before it was ready: exit code 1. The model might " +
      "work on ml.g5.xlarge, which has accelerators. Last log lines:\n" +
      "serving ['serve'] eu-west-1\nno model?[2J\n",
    ]);
  });
});

const SERVING = `
def model_fn(model_dir):
    with open(model_dir + "/current") as file: model = file.read()
    if model != "trained": raise ValueError(model)
    return model
def predict_fn(input_data, model):
    return model
`;

suite("trying what local train made, in an image of mlcli", () => {
  it("serves it, its links as files; another model it does not", async () => {
    await using app = await makeApp({ configuration: { base_image: baseImage() } });
    assertEquals((await app.run(["init", app.name])).code, 0);
    await app.write(app.path("training/training.py"), TRAINING_OF_LINK);
    await app.write(app.path("prediction/serve"), SERVING);
    for (const args of [["build"], ["local", "train"]]) {
      const { code, stderr } = await app.run(args);
      assertEquals(code, 0, stderr);
    }
    const trial = async (): Promise<readonly string[]> => {
      const model = { path: app.testPath("model"), shown: "model" };
      const room = roomFor({ instanceType: "ml.m5.large" });
      await using archive = await archiveOf(model, room, () => {}, SIGNAL);
      const of = appObject(app.directory, app.name);
      return await tried({}, { app: of, archive: archive.path });
    };
    assertEquals(await trial(), []);
    assertEquals(await containersOf(app.name), []);
    await Deno.writeTextFile(app.testPath("model/weights/model.txt"), "another");
    const { message, quote } = await assertRejects(trial, MlcliError);
    assertMatch(
      message,
      /^In a local test, the server exited before it was ready: ValueError: another \(exit code \d+\)$/,
    );
    assertMatch(quote!, /ValueError: another/);
    assertEquals(await containersOf(app.name), []);
  });
});
