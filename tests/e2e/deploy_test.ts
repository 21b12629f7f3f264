import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { buildTestImage, containersOf, engineRequest, TEST_IMAGE } from "../helpers/engine.ts";
import { killedAfter, programCommand, resultOf } from "../helpers/program.ts";
import { deployed, predictedOn } from "../helpers/server.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { runOnTerminal } from "../helpers/terminal.ts";
import { TextReader } from "../helpers/text_reader.ts";

const SERVING = `
def model_fn(model_dir):
    with open(model_dir + "/model.txt") as file: return file.read()
def predict_fn(input_data, model):
    return [model]
`;

function servingApp(code = SERVING): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { "prediction/serve": code, "local_test/test_dir/model/model.txt": "seven" },
  });
}

suite("local deploy and local stop", () => {
  beforeAll(buildTestImage);

  it("serves the model when it returns, until it is stopped; then the same works again", async () => {
    await using app = await servingApp();
    const port = await deployed(app);
    assertEquals(await predictedOn(port), "seven");
    const [container] = await containersOf(app.name);
    assertEquals(container?.Names, [`/mlcli-${app.name}-serve-${port}`]);
    assertEquals(container?.Labels["mlcli.role"], "serve");
    assertEquals(container?.Labels["mlcli.port"], port);
    assertEquals(await publishedAt(container!.Id), [{ HostIp: "127.0.0.1", HostPort: port }]);

    const stop = ["local", "stop", "--port", port];
    assertEquals(await app.run(stop), {
      code: 0,
      stdout: `mlcli-${app.name}-serve-${port}\n`,
      stderr: "",
    });
    assertEquals(await containersOf(app.name), []);

    const again = await app.run(["local", "deploy", "--port", port]);
    assertEquals(again, { code: 0, stdout: `http://localhost:${port}\n`, stderr: "" });
    assertEquals((await app.run([...stop, "--app-name", app.name])).code, 0);

    const nothing = await app.run(stop);
    assertEquals({ code: nothing.code, stdout: nothing.stdout }, { code: 1, stdout: "" });
    assertMatch(nothing.stderr, new RegExp(`^error: Container not found on port ${port}\nhint: `));
  });

  it("--replace serves the new code and the new model, and --replace of a broken one the old", async () => {
    await using app = await servingApp();
    const port = await deployed(app);
    const replace = ["local", "deploy", "--port", port, "--replace"];
    await app.write(app.path("prediction/serve"), SERVING.replace("[model]", "[model + '!']"));
    await app.write(app.testPath("model/model.txt"), "eight");
    const { code, stdout, stderr } = await app.run(replace);
    assertEquals([code, stdout], [0, `http://localhost:${port}\n`]);
    assertMatch(
      stderr,
      /^note: Replaced the server; port \d+ did not respond for \d+\.\d\d s\n$/,
    );
    assertEquals(await predictedOn(port), "eight!");
    const [{ Id } = { Id: "" }, ...others] = await containersOf(app.name);
    assertEquals(others, []);

    await app.write(app.path("prediction/serve"), "import nothing_of_that_name\n");
    const broken = await app.run(replace);
    assertEquals([broken.code, broken.stdout], [1, ""]);
    assertMatch(
      broken.stderr,
      /^note: The previous server keeps running\nerror: The server exited before it was ready/,
    );
    assertEquals(await predictedOn(port), "eight!");
    assertEquals((await containersOf(app.name)).map((container) => container.Id), [Id]);
  });

  it("refuses a port that another program has, and leaves nothing", async () => {
    await using app = await servingApp();
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const { code, stdout, stderr } = await app.run(["local", "deploy", "--port", String(port)]);
    assertEquals({ code, stdout }, { code: 1, stdout: "" });
    assertMatch(stderr, new RegExp(`^error: Port already in use: ${port}\nhint: `));
    assertEquals(await containersOf(app.name), []);
  });

  it("shows why the model does not load though every worker fails, one not to be stopped", async () => {
    await using app = await servingApp(
      `import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
try:
    os.mkdir("/tmp/first")
    for _ in range(200):
        if not os.path.exists("/tmp/second"): time.sleep(0.01)
except FileExistsError:
    os.makedirs("/tmp/second", exist_ok=True)
    time.sleep(1)
raise ImportError("no module named shap")
`,
    );
    const { code, stderr } = await app.run(["local", "deploy", "--port", "0", "--timeout", "100"]);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: .* before it was ready: ImportError: no module named shap \(exit/);
    assertEquals(stderr.match(/^ {2}ImportError: no module named shap/gm)?.length, 1, stderr);
    assert(!stderr.includes("gunicorn/arbiter.py"), stderr);
  });

  it("gives up after --timeout, says what it last heard, and leaves nothing", async () => {
    await using app = await servingApp(
      "import time\ndef model_fn(model_dir): time.sleep(60)\ndef predict_fn(i, m): pass\n",
    );
    const { code, stderr } = await app.run(["local", "deploy", "--port", "0", "--timeout", "1"]);
    assertEquals(code, 1);
    assertMatch(stderr, /^error: The server did not return 200 for \/ping within 1 s \(.+\)\n/);
    assertEquals(await containersOf(app.name), []);
  });

  it("shows on a terminal that it is waiting, and clears that line away", async () => {
    await using app = await servingApp(`import time\ntime.sleep(1.5)\n${SERVING}`);
    const { code, screen } = await runOnTerminal(["local", "deploy", "-p", "0"], app.directory);
    assertEquals(code, 0, screen);
    assertStringIncludes(screen, "Starting the server (1s)\x1b[K");
    const [cleared, port] = screen.trimEnd().split("http://localhost:");
    assert(cleared?.endsWith("\r\x1b[K"), JSON.stringify(screen));
    assertEquals((await app.run(["local", "stop", "--port", port!])).code, 0);
    const quiet = await runOnTerminal(["local", "deploy", "-p", "0", "--quiet"], app.directory);
    const [, other = ""] = /^http:\/\/localhost:(\d+)\r\n$/.exec(quiet.screen) ?? [];
    const stopped = await runOnTerminal(["local", "stop", "-q", "-p", other], app.directory);
    assertMatch(stopped.screen, /^mlcli-\S+\r\n$/);
  });

  it("--foreground shows the log and ends with Ctrl-C, the server with it", async () => {
    await using app = await servingApp(`print("loading", flush=True)\n${SERVING}`);
    const child = app.start(["local", "deploy", "--port", "0", "--foreground"]);
    const stdout = new TextReader(child.stdout);
    const [, port] = await stdout.until(/http:\/\/localhost:(\d+)\n/);
    // The log comes over a connection of its own, so that it may come after the address.
    await stdout.until(/loading\n/);
    assertEquals(await predictedOn(port!), "seven");
    child.kill("SIGINT");
    await stdout.toEnd();
    await child.stderr.cancel();
    assertEquals((await child.status).code, 130);
    assertEquals(await containersOf(app.name), []);
  });

  async function foreground(app: TestApp, redirection: string): Promise<[string, string]> {
    const command = programCommand(["local", "deploy", "--port", "0", "--foreground"]);
    const child = new Deno.Command("bash", {
      // The status of mlcli, and not of what it is piped into.
      args: [
        ...["-c", `timeout -s KILL 60 "$@" ${redirection}; echo "status \${PIPESTATUS[0]}"`],
        ...["bash", ...command],
      ],
      cwd: app.directory,
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const { stdout, stderr } = await resultOf(killedAfter(90_000, child));
    return [stdout, stderr];
  }

  const TALKING = `import time\nfor n in range(600): print(n, flush=True); time.sleep(0.1)`;
  for (const [how, code] of [["says nothing", SERVING], ["is still starting", TALKING]] as const) {
    it(`--foreground leaves nothing where its output has no reader, or no room, and the server ${how}`, async () => {
      await using app = await servingApp(code);
      assertEquals(await foreground(app, "| true"), ["status 141\n", ""]);
      assertEquals(await containersOf(app.name), []);
      assertEquals(await foreground(app, "> /dev/full"), [
        "status 1\n",
        "error: Cannot write to standard output: No space left on device\n" +
        "hint: Free some disk space, then rerun the command\n",
      ]);
      assertEquals(await containersOf(app.name), []);
    });
  }

  it("--foreground shows all that a server wrote that did not start", async () => {
    const lines = 5_000;
    await using app = await servingApp(
      `import os\nfor n in range(${lines}): os.write(1, b"line %d\\n" % n)\n` +
        `os.write(1, b"last words\\n")\nraise SystemExit(3)`,
    );
    const { code, stdout, stderr } = await app.run(["local", "deploy", "-p", "0", "--foreground"]);
    assertEquals(code, 1);
    assertMatch(stdout, /^last words$/m, stderr);
    // Another worker is ended while it is writing the same.
    assertEquals(new Set(stdout.match(/^line \d+$/mg)).size, lines);
    assertMatch(stderr, /^error: The server exited before it was ready: exit code 3$/m);
    assertEquals(await containersOf(app.name), []);
  });
});

async function publishedAt(id: string): Promise<unknown> {
  const { HostConfig } = JSON.parse(await engineRequest("GET", `/containers/${id}/json`, [200]));
  return HostConfig.PortBindings["8080/tcp"];
}
