import { assert, assertEquals, assertMatch } from "@std/assert";
import { makeApp, TRAINING_DATA } from "../helpers/app.ts";
import {
  buildTestImage,
  containersOf,
  killOnly,
  TEST_IMAGE,
  withEngine,
} from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { deployServer } from "../helpers/server.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const SERVING =
  "def model_fn(model_dir): return 1\ndef predict_fn(input_data, model): return [1]\n";

suite("local status", () => {
  beforeAll(buildTestImage);

  it("shows a server while it is healthy, and when it has ended", async () => {
    await using server = await deployServer(SERVING);
    const { app, port } = server;
    const status = ["local", "status", "--app-name", app.name];
    const line = async (): Promise<string> => {
      const { code, stdout, stderr } = await app.run(status);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      return stdout;
    };
    const time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}[+-]\\d\\d:\\d\\d";
    // Its id, where another test has built the image again meanwhile.
    const image = `(${TEST_IMAGE}:latest|sha256:[0-9a-f]{12})`;
    const row = (health: string): RegExp =>
      new RegExp(`^${app.name}  serve  ${port}  ${health}  ${time}  ${image}  -\\n$`);
    assertMatch(await line(), row("healthy"));

    await killOnly(app.name);
    assertMatch(await line(), row("exited \\(137\\)"));
    const json = JSON.parse((await app.run([...status, "--output", "json"])).stdout);
    assertEquals(json.length, 1);
    const { created, image: shown, ...rest } = json[0];
    assertEquals(rest, {
      name: `mlcli-${app.name}-serve-${port}`,
      app: app.name,
      role: "serve",
      port: Number(port),
      state: "exited",
      ping_status: null,
      ping_failure: null,
      exit_status: 137,
      model_run: null,
      stale: null,
    });
    assert(Math.abs(Date.now() - Date.parse(created)) < 600_000, created);
    assertMatch(shown, new RegExp(`^${image}$`));
  });

  it("leaves out a container that has mlcli's labels from its image, as stop and completions do", async () => {
    await using app = await makeApp();
    const port = "65001";
    const id = await withEngine((engine) =>
      engine.createContainer(`somebodys-${app.name}`, {
        Image: TEST_IMAGE,
        Cmd: ["serve"],
        // As LABEL in a Dockerfile makes them.
        Labels: { "mlcli.app": app.name, "mlcli.role": "serve", "mlcli.port": port },
        HostConfig: { AutoRemove: false, Mounts: [] },
      })
    );
    try {
      const stop = await app.run(["local", "stop", "--port", port, "--app-name", app.name]);
      assertEquals(stop.code, 1);
      assertMatch(stop.stderr, /^error: Container not found on port 65001/);
      const status = await app.run(["local", "status", "--app-name", app.name]);
      assertEquals(status.stdout, "");
      const ports = await app.run(["completions", "complete", "--", "local", "stop", "--port"]);
      assertEquals(ports.stdout.split("\n").includes(port), false);
      assertEquals((await containersOf(app.name)).map(({ Id }) => Id), [id]);
    } finally {
      await withEngine((engine) => engine.removeContainer(id));
    }
  });

  it("shows a run as long as it runs", async () => {
    await using app = await makeApp({
      configuration: { image_name: TEST_IMAGE },
      files: {
        [TRAINING_DATA]: "1\n",
        "training/training.py": "import time\ndef train(a, b): time.sleep(60)\n",
      },
    });
    const child = app.start(["local", "train"]);
    await eventually(async () => (await containersOf(app.name))[0]?.State === "running");
    const { stdout } = await app.run(["local", "status", "-a", app.name]);
    child.kill("SIGINT");
    await child.output();
    assertMatch(stdout, new RegExp(`^${app.name}  train  -  running  `));
    const after = await app.run(["local", "status", "-a", app.name]);
    assertEquals(after, { code: 0, stdout: "", stderr: "" });
    const json = await app.run(["local", "status", "-a", app.name, "--output", "json"]);
    assertEquals(json, { code: 0, stdout: "[]\n", stderr: "" });
  });
});
