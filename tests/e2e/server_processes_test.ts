import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp } from "../helpers/app.ts";
import { type Ended, endOf, logOf, withContainer } from "../helpers/container.ts";
import { buildTestImage, TEST_IMAGE } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { deployServer, serverLog, serverLogWith, type TestServer } from "../helpers/server.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** Serving code whose predictions tell of the process, and end it. Each load leaves a line. */
const CODE = `
import os, resource, signal

def model_fn(model_dir):
    with open("/tmp/loads", "a") as file: file.write("%d\\n" % os.getpid())
    if os.path.exists("/tmp/broken"): raise ValueError("no model today")
    return bytearray(b"x") * (int(os.environ.get("MODEL_MB", "0")) * 1024**2)

def predict_fn(data, model):
    if "exit" in data: os._exit(data["exit"])
    if "kill" in data: os.kill(os.getpid(), data["kill"])
    if "break" in data: open("/tmp/broken", "w").close()
    if "mend" in data: os.remove("/tmp/broken")
    with open("/tmp/loads") as file: loads = [int(line) for line in file]
    return [{"pid": os.getpid(), "parent": os.getppid(), "loads": loads,
            "files": resource.getrlimit(resource.RLIMIT_NOFILE)}]
`;

interface Told {
  readonly pid: number;
  readonly parent: number;
  readonly loads: readonly number[];
  readonly files: readonly [number, number];
}

/** What a worker tells, over a connection of its own; nothing where it ends instead. */
async function ask({ port }: TestServer, data: unknown): Promise<Told | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/invocations`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Connection: "close" },
    body: JSON.stringify(data),
    signal: AbortSignal.timeout(20_000),
  }).catch(() => undefined);
  if (response === undefined) return undefined;
  const { predictions: [told] } = await response.json();
  return told;
}

/** Waits until so many processes answer; asked often enough, each has its turn. */
async function untilWorkers(server: TestServer, count: number): Promise<void> {
  const seen = new Set<number>();
  await eventually(async () => {
    const told = await ask(server, {});
    if (told) seen.add(told.pid);
    return seen.size >= count;
  });
}

/** Starts a server that loads the model first of all, and stops it at its first line in the log. */
async function stopWhenHeard(code: string): Promise<Ended> {
  await using app = await makeApp({ files: { "prediction/serve": code } });
  // As on SageMaker: the server is process 1, and nobody forwards signals to it.
  const plan = {
    Image: TEST_IMAGE,
    Cmd: ["serve"],
    Env: ["MLCLI_PRELOAD=1"],
    Labels: {},
    HostConfig: {
      AutoRemove: false,
      NetworkMode: "none",
      Mounts: [{
        Type: "bind" as const,
        Source: app.path("prediction"),
        Target: "/opt/ml/code",
        ReadOnly: true,
      }],
    },
  };
  return await withContainer(plan, async (engine, id) => {
    await eventually(async () => (await logOf(engine, id)).includes("\n"));
    await engine.stopContainer(id, 30);
    return await endOf(engine, id);
  });
}

const options = (...variables: readonly string[]): readonly string[] =>
  variables.flatMap((variable) => ["--env", variable]);

suite("the processes of a server", () => {
  let slow: Promise<Ended>;

  beforeAll(async () => {
    await buildTestImage();
    // Takes 10 s, in which the other tests can run.
    slow = stopWhenHeard("import time\ntime.sleep(300)\n");
    slow.catch(() => {});
  });

  it("are replaced however they end, and the log says so in one line each", async () => {
    await using server = await deployServer(CODE, {}, options("MLCLI_WORKERS=2"));
    await untilWorkers(server, 2);
    const { files: [soft, hard] } = (await ask(server, {}))!;
    assertEquals(soft, hard < 0 ? 1024 ** 2 : Math.min(hard, 1024 ** 2));
    // 3 is what gunicorn itself ends with where a worker cannot start.
    for (
      const [data, how] of [
        [{ exit: 3 }, "exit code 3"],
        [{ kill: 9 }, "SIGKILL, probably out of memory"],
      ] as const
    ) {
      assertEquals(await ask(server, data), undefined);
      await eventually(async () => await ask(server, {}) !== undefined);
      await serverLogWith(
        server,
        new RegExp(`^mlcli: worker process \\d+ exited \\(${how}\\)`, "m"),
      );
    }
    const log = await serverLog(server);
    assertEquals(log.match(/^.*worker.*$/gim)?.length, 2, log);

    // One that cannot load the model any more is tried again, while the other one serves.
    await untilWorkers(server, 2);
    await ask(server, { break: 1 });
    await ask(server, { exit: 3 });
    const told = await serverLogWith(server, /retrying in 1 s\n/);
    assertStringIncludes(told, "ValueError: no model today\n");
    assertMatch(told, /exited while loading the model \(exit code 3\)/);
    assert(!told.includes("mlcli_harness"), told);
    assert(await ask(server, { mend: 1 }));
    await untilWorkers(server, 2);
  });

  it("are forked from one that has loaded the model, with MLCLI_PRELOAD=1", async () => {
    await using server = await deployServer(
      CODE,
      {},
      options("MLCLI_WORKERS=2", "MLCLI_PRELOAD=1"),
    );
    await untilWorkers(server, 2);
    await ask(server, { exit: 3 });
    await serverLogWith(server, /exited \(exit code 3\)/);
    await untilWorkers(server, 2);
    const { parent, loads } = (await ask(server, {}))!;
    assertEquals(loads, [parent]);
  });

  it("end with one traceback where the model does not load, with MLCLI_PRELOAD=1", async () => {
    await using app = await makeApp({
      configuration: { image_name: TEST_IMAGE },
      files: {
        "prediction/serve": 'raise ImportError("no module named shap")\n',
        "local_test/test_dir/model/model.txt": "",
      },
    });
    const { code, stderr } = await app.run([
      ...["local", "deploy", "--port", "0", ...options("MLCLI_PRELOAD=1")],
    ]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "exit code 3");
    const [, quote = ""] = stderr.split(/^error: .*\n/m);
    assertEquals(quote.match(/ImportError: no module named shap/g)?.length, 1, stderr);
    assert(!stderr.includes("mlcli_harness"), stderr);
  });

  it("are as many as there is memory for", async () => {
    const limited = ["--memory", "250m", ...options("MLCLI_WORKERS=4", "MODEL_MB=80")];
    await using server = await deployServer(CODE, {}, limited);
    const log = await serverLogWith(server, /workers start/);
    assertMatch(
      log,
      /^mlcli: the model needs 8\d MB per worker, and 1\d\d MB of the container's 250 MB are free: only 2 of 4 workers start\. Set MLCLI_PRELOAD=1 /m,
    );
    await untilWorkers(server, 2);
    assertEquals((await ask(server, {}))!.loads.length, 2);

    // All of them, where they share it; the model would not fit twice more.
    await using shared = await deployServer(CODE, {}, [...limited, "--env", "MLCLI_PRELOAD=1"]);
    await untilWorkers(shared, 4);
    assertEquals(await serverLog(shared), "");
  });

  it("say what they wait for, and end at once at SIGTERM while the first loads", async () => {
    const { status, log } = await slow;
    assertEquals(status, 143);
    assertMatch(
      log,
      /^mlcli: the model has been loading for 1\d s \(model_fn and .*\), and \/ping fails until it is loaded\. .* 240 s.*\n$/,
    );
  });
});
