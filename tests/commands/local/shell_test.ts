import { assertEquals, assertMatch } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { namesIn } from "../../helpers/directory.ts";
import { fakeContainers, HARNESS_IMAGE, type Play } from "../../helpers/fake_containers.ts";
import { fakeInput, fakeKeyboard } from "../../helpers/fake_keyboard.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A program that takes its input, and ends with this status. */
function ending(status: number): Play {
  return { program: ({ end }) => end(status), onInput: () => {} };
}

async function shell(
  args: readonly string[],
  play: Play = ending(0),
  options: Partial<InProcessOptions> = {},
) {
  await using app = await completeApp();
  await using engine = await fakeContainers(play);
  const input = fakeInput([]);
  const result = await runInProcess(["local", "shell", ...args], {
    cwd: app.directory,
    engine,
    input,
    ...options,
  });
  return {
    ...result,
    created: engine.created,
    name: engine.callsOf("POST /containers/create")[0]?.query["name"]?.replace(app.name, "APP"),
    left: engine.left,
    files: [await namesIn(app.path("local_test")), await namesIn(app.testPath())],
  };
}

/** What there is in an app of which nothing was run but a shell. */
const UNTOUCHED = [["test_dir"], ["input", "model", "output"]];

function targets(
  body: { HostConfig: { Mounts: readonly { Target: string; ReadOnly: boolean }[] } },
): readonly string[] {
  return body.HostConfig.Mounts.map(({ Target, ReadOnly }) => Target + (ReadOnly ? ":ro" : ""));
}

suite("local shell", () => {
  it("has what a training has, with a model directory that goes with it", async () => {
    const { code, stdout, stderr, created, name, left, files } = await shell(["--", "ls", "-l"]);
    assertEquals({ code, stdout, stderr, left }, { code: 0, stdout: "", stderr: "", left: [] });
    const [body] = created;
    assertEquals([body.Entrypoint, body.Cmd, body.WorkingDir], [["ls"], ["-l"], "/opt/ml/code"]);
    assertEquals(targets(body), [
      "/opt/ml/code:ro",
      "/opt/ml/input",
      "/opt/ml/input/data/training:ro",
      "/opt/ml/input/data/processing:ro",
      "/opt/ml/model",
      "/opt/ml/output",
    ]);
    const variables = (body.Env as string[]).map((one) => one.split("=")[0]!);
    assertEquals(variables.filter((one) => /^(ML_MODEL_DIR|TRAINING_JOB_NAME)$/.test(one)).sort(), [
      "ML_MODEL_DIR",
      "TRAINING_JOB_NAME",
    ]);
    const { AutoRemove, LogConfig } = body.HostConfig;
    assertEquals([AutoRemove, LogConfig], [true, { Type: "none" }]);
    assertEquals([body.OpenStdin, body.Tty], [true, undefined]);
    assertMatch(name!, /^mlcli-APP-train-[0-9a-f]{8}$/);
    assertEquals(files, UNTOUCHED);
  });

  it("has what processing has", async () => {
    const { code, created, files } = await shell(["process", "--env", "A=1", "--", "ls"]);
    assertEquals(code, 0);
    assertEquals(targets(created[0]), [
      "/opt/ml/code:ro",
      "/opt/ml/config",
      "/opt/ml/input:ro",
      "/opt/ml/model:ro",
      "/opt/ml/processing/input:ro",
      "/opt/ml/processing/output",
      "/opt/ml/output",
    ]);
    assertEquals(created[0].Env.includes("A=1"), true);
    assertEquals(files, UNTOUCHED);
  });

  it("has what a server has, but no port, and is not found as a server", async () => {
    const { code, created, name, files } = await shell(["serve", "--", "ls"]);
    assertEquals(code, 0);
    const { Labels, ExposedPorts, HostConfig } = created[0];
    assertEquals(targets(created[0]), ["/opt/ml/code:ro", "/opt/ml/model:ro"]);
    assertEquals([ExposedPorts, HostConfig.PortBindings], [undefined, undefined]);
    assertEquals([Labels["mlcli.role"], Labels["mlcli.port"]], ["", ""]);
    assertMatch(name!, /^mlcli-APP-shell-[0-9a-f]{8}$/);
    assertEquals(files, [["test_dir"], ["input", "model"]]);
  });

  it("has nothing but what SageMaker gives with --strict", async () => {
    const { code, created } = await shell(["--strict", "--memory", "1g", "--", "ls"]);
    assertEquals([code, created[0].HostConfig.Memory], [0, 1_073_741_824]);
    assertEquals([targets(created[0])[0], created[0].WorkingDir], ["/opt/ml/input", undefined]);
  });

  it("ends with the status of what ran, and adds no word", async () => {
    for (const status of [1, 3, 127, 130]) {
      const { code, stderr, files } = await shell([], ending(status));
      assertEquals([code, stderr, files], [status, "", UNTOUCHED]);
    }
  });

  it("says that a model is gone that was written in it", async () => {
    const play: Play = {
      onInput: () => {},
      program: ({ body, end }) => {
        const model = body.HostConfig.Mounts.find(({ Target }) => Target === "/opt/ml/model");
        Deno.writeTextFileSync(`${model!.Source}/model.bin`, "");
        end(0);
      },
    };
    const { code, stderr, files } = await shell([], play);
    assertEquals([code, files], [0, UNTOUCHED]);
    assertMatch(stderr, /^note: The files in \/opt\/ml\/model were removed with the container;/);
  });

  it("is ended by a signal for mlcli, and gives the terminal back", async () => {
    const keys = new Keys();
    const keyboard = fakeKeyboard();
    const { promise: never, resolve } = Promise.withResolvers<string>();
    const play: Play = {
      program: ({ out }) => out("# "),
      onInput: () => {},
    };
    const typed = async function* () {
      yield await never;
    };
    const { code, stdout, stderr, left, files } = await shell([], play, {
      keys,
      input: fakeInput(typed(), keyboard),
      isTerminal: true,
      onOutput: () => keys.press("SIGTERM"),
    });
    resolve("");
    assertEquals({ code, stdout, stderr, left }, { code: 143, stdout: "# ", stderr: "", left: [] });
    assertEquals([keyboard.modes, files], [["raw", "normal"], UNTOUCHED]);
  });

  it("takes a command for a command only after --", async () => {
    const { code, stderr, created } = await shell(["python3"]);
    assertEquals([code, created], [2, []]);
    assertEquals(
      stderr,
      'error: Argument "ROLE" must be train, process or serve, but got "python3"\n' +
        "hint: Put a command after --: mlcli local shell -- python3\n",
    );
  });

  it("needs the image, and the code of its role", async () => {
    const missing = await shell([], { image: null });
    assertEquals(missing.code, 1);
    assertMatch(missing.stderr, /^error: Image not found: /);
    await using app = await completeApp();
    await Deno.remove(app.path("prediction"), { recursive: true });
    await using engine = await fakeContainers({ image: HARNESS_IMAGE });
    const { code, stderr } = await runInProcess(["local", "shell", "serve"], {
      cwd: app.directory,
      engine,
    });
    assertEquals([code, engine.created], [1, []]);
    assertMatch(stderr, /^error: No prediction code in /);
  });
});
