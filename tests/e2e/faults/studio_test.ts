import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import { openTransport } from "../../../runtime/docker/transport.ts";
import {
  baseImage,
  buildTestImage,
  containersOf,
  removeImage,
  TEST_IMAGE,
} from "../../helpers/engine.ts";
import { eventually } from "../../helpers/eventually.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { type StudioSpace, studioSpace } from "../../helpers/studio.ts";
import { afterAll, afterEach, beforeAll, it, suite } from "../../helpers/suite.ts";
import { TextReader } from "../../helpers/text_reader.ts";

const TRAINING = `
import json, os, socket
def train(data, model):
    with open("/opt/ml/input/config/resourceconfig.json") as file: host = json.load(file)["current_host"]
    # AWS's training toolkit waits for that.
    print(host, bool(socket.gethostbyname(host)), os.environ["SM_STUDIO_LOCAL_MODE"])
    with open(model + "/model.txt", "w") as file: file.write("seven")
    os.chmod(model + "/model.txt", 0o600)
`;

const SERVING = `
def model_fn(model_dir):
    with open(model_dir + "/model.txt") as file: return file.read()
def predict_fn(data, model): return VERSION + model
def output_fn(prediction, accept): return prediction, "text/plain"
VERSION = "one "
`;

const PROCESSING = 'open("/opt/ml/processing/output/table.csv", "w").close()\n';

// Its user sees a file system of its own, which root alone can make.
if (Deno.uid() === 0) {
  suite("in SageMaker Studio", () => {
    let space: StudioSpace;
    let app: TestApp;
    const run = (...args: string[]): Promise<ProgramResult> => space.user.run(args, app.directory);

    beforeAll(async () => {
      await buildTestImage();
      space = await studioSpace();
      app = await makeApp({
        parent: space.user.home,
        files: {
          "training/training.py": TRAINING,
          "prediction/serve": SERVING,
          "processing/p.py": PROCESSING,
          [TRAINING_DATA]: "1,2\n",
          "local_test/test_dir/input/data/processing/p.csv": "1\n",
        },
      });
      const configuration = { image_name: app.name, base_image: baseImage() };
      await app.write(`${app.directory}/${app.name}.json`, JSON.stringify(configuration));
      await space.user.owns(app.directory);
    });
    afterEach(() => space.requireEcr(false));
    afterAll(async () => {
      await app?.[Symbol.asyncDispose]();
      if (app) await removeImage(`${app.name}:latest`);
      await space?.[Symbol.asyncDispose]();
    });

    const start = (...args: string[]): Deno.ChildProcess => space.user.start(args, app.directory);

    async function deploy(...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await run("local", "deploy", "--port", "0", ...args);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      return new URL(stdout.trim()).port;
    }
    const invoke = (port: string): Promise<ProgramResult> =>
      run("local", "invoke", "--port", port, `${app.name}.json`);

    it("an app is made and built, and trains and processes", async () => {
      for (const args of [["init", app.name], ["build"]]) {
        const { code, stderr } = await run(...args);
        assertEquals(code, 0, stderr);
      }
      assertEquals(await run("local", "train"), {
        code: 0,
        stdout: "sagemaker-local True True\n",
        stderr: "",
      });
      const process = await run("local", "process", "-f", "p.py");
      assertEquals(process.code, 0, process.stderr);
      // Written by root in containers, the owners changed by another one.
      for (const path of ["model/model.txt", "output/table.csv"]) {
        assertEquals((await Deno.stat(app.testPath(path))).uid, space.user.uid, path);
      }
      const shell = await run(
        "local",
        "shell",
        "--",
        "cat",
        "/opt/ml/input/data/training/data.csv",
      );
      assertEquals(shell, { code: 0, stdout: "1,2\n", stderr: "" });
    });

    it("a server is on the space's own port, and is found there", async () => {
      const port = await deploy();
      assertEquals((await invoke(port)).stdout, "one seven");
      assertMatch((await run("local", "status")).stdout, new RegExp(`serve\\s+${port}\\s+healthy`));
      assertEquals((await run("local", "logs", "--port", port)).code, 0);
      const doctor = await run("doctor", "--port", port);
      assertStringIncludes(
        doctor.stdout,
        "Running in SageMaker Studio (JupyterLab); its domain allows",
      );
      assertStringIncludes(
        doctor.stdout,
        `Port ${port} is in use by the server of app ${app.name}`,
      );
      const again = await run("local", "deploy", "--port", port);
      assertEquals(again.code, 1);
      assertStringIncludes(again.stderr, `error: Port already in use: ${port} (by the server of`);
      const replaced = await run("local", "deploy", "--port", port, "--replace");
      assertMatch(
        replaced.stderr,
        /^note: Replaced the server; port \d+ did not respond for [\d.]+ s\n$/,
      );
      assertEquals((await invoke(port)).stdout, "one seven");
      assertEquals((await run("local", "stop", "--port", port)).code, 0);
      assertEquals((await invoke(port)).code, 1);
    });

    it("two servers cannot share a port, and no program's port is taken", async () => {
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const { code, stdout, stderr } = await run(
        ...["local", "deploy", "--port", String(listener.addr.port)],
      );
      assertEquals({ code, stdout }, { code: 1, stdout: "" });
      assertStringIncludes(stderr, `error: Port already in use: ${listener.addr.port}\n`);
      assertEquals(await containersOf(app.name), []);
    });

    it("local deploy --watch serves each edit, and --foreground until Ctrl-C", async () => {
      const watch = start("local", "deploy", "--watch", "--port", "0");
      const out = new TextReader(watch.stdout);
      const [, port = ""] = await out.until(/^http:\/\/localhost:(\d+)\n/);
      const err = new TextReader(watch.stderr);
      assertEquals((await invoke(port)).stdout, "one seven");
      const edited = SERVING.replace("one", "two");
      await app.write(app.path("prediction/serve"), edited);
      await eventually(async () => (await invoke(port)).stdout === "two seven");
      // It is known as one that mlcli relays requests to.
      const taken = await run("local", "deploy", "--port", port, "--replace");
      assertStringIncludes(taken.stderr, "error: Port already in use");
      watch.kill("SIGINT");
      await Promise.all([out.toEnd(), err.toEnd()]);
      assertEquals((await watch.status).code, 130);

      const foreground = start("local", "deploy", "--foreground", "--port", port);
      const reader = new TextReader(foreground.stdout);
      const log = new TextReader(foreground.stderr);
      await reader.until(/^http:/m);
      assertEquals((await invoke(port)).stdout, "two seven");
      foreground.kill("SIGINT");
      await Promise.all([reader.toEnd(), log.toEnd()]);
      assertEquals((await foreground.status).code, 130);
      assertEquals(await containersOf(app.name), []);
    });

    it("another network, and images of other registries, are refused in clear words", async () => {
      for (const [option, network] of [["--network-isolation", "none"], ["--network=db", "db"]]) {
        const { code, stderr } = await run("local", "train", option!);
        assertEquals(code, 1, network);
        assertStringIncludes(stderr, 'supports only the container network "sagemaker"');
      }
      space.requireEcr(true);
      const build = await run("build");
      assertEquals(build.code, 1);
      assertStringIncludes(
        build.stderr,
        `[ValidateVPCOnlyModeImage] Image ${baseImage()} is not an`,
      );
      assertStringIncludes(
        build.stderr,
        "hint: Use an image from an Amazon ECR account",
      );
    });

    for (
      const [title, call, json, status, words] of [
        ["a path without a version", "GET /version", undefined, 301, "Moved Permanently"],
        [
          "another version",
          "GET /v1.40/version",
          undefined,
          400,
          "client version 1.40 is not 1.41",
        ],
        [
          "a container on another network",
          "POST /v1.41/containers/create",
          { Image: TEST_IMAGE, HostConfig: {} },
          403,
          "[ContainerCreate] SageMaker Studio Docker Usage only allows 'sagemaker' as network input",
        ],
        [
          "a privileged one",
          "POST /v1.41/containers/create",
          { Image: TEST_IMAGE, HostConfig: { NetworkMode: "sagemaker", Privileged: true } },
          403,
          "[ContainerCreate] SageMaker Studio Docker Usage does not allow privileged mode execution",
        ],
        [
          "a build on another network",
          "POST /v1.41/build",
          undefined,
          403,
          "[ImageBuild] 'sagemaker' is the only user allowed network input",
        ],
        [
          "docker exec",
          "POST /v1.41/containers/any/exec",
          {},
          403,
          "The request for current resource is not allowed on SageMaker Studio.",
        ],
        // As of a container on another one's network, by the real engine.
        [
          "published ports",
          "POST /v1.41/containers/create",
          {
            Image: TEST_IMAGE,
            HostConfig: {
              NetworkMode: "sagemaker",
              PortBindings: { "8080/tcp": [{ HostPort: "" }] },
            },
          },
          400,
          "conflicting options: port publishing and the container type network mode",
        ],
      ] as const
    ) {
      it(`the filter refuses ${title}, as Studio does`, async () => {
        const transport = await openTransport({ kind: "unix", path: space.filter.socket });
        try {
          const [method, path] = call.split(" ") as [string, string];
          const answer = await transport.request(method, path, { expect: [status], json });
          assertStringIncludes(await answer.text(), words);
        } finally {
          transport.close();
        }
      });
    }

    it("an app outside the home directory is told where to go", async () => {
      await using away = await makeApp({
        name: app.name,
        files: { "training/training.py": TRAINING, [TRAINING_DATA]: "1\n" },
      });
      await space.user.owns(away.directory);
      const { code, stderr } = await space.user.run(["local", "train"], away.directory);
      assertEquals(code, 1);
      assertStringIncludes(stderr, "error: The Docker Engine does not see /");
      assertStringIncludes(
        stderr,
        "hint: Move the app and its data to the home directory",
      );
      const doctor = await space.user.run(["doctor"], away.directory);
      assertStringIncludes(doctor.stdout, "because it is outside the home directory");
    });
  });
}
