import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { filesBelow } from "../helpers/directory.ts";
import { buildTestImage, containersOf, TEST_IMAGE, withEngine } from "../helpers/engine.ts";
import { lastRun } from "../helpers/runs.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { untilReady } from "../helpers/waiting_run.ts";

function trainingApp(body: string, files: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const code = `def train(input_data_path, model_save_path):\n${body.replace(/^/gm, "    ")}\n`;
  return makeApp({
    configuration: { image_name: TEST_IMAGE, cloud_region: "eu-west-1" },
    files: { "training/training.py": code, [TRAINING_DATA]: "1,2\n", ...files },
  });
}

/** After so many bytes of output the program's memory is looked at. */
const LOOK_EVERY = 8 * 1024 ** 2;

/** A statement that writes a model, as every training should. */
const SAVE = '\nopen(model_save_path + "/m", "w").close()';

/** Says `ready`, then waits for the file that says to go on. */
const WAIT = `import os, sys, time
print("ready", flush=True)
for _ in range(600):
    if os.path.exists("/opt/ml/output/go"): break
    time.sleep(0.05)
else: sys.exit(9)`;

/** A training code that writes what it sees to the output, as JSON. */
const REPORT = `
import json, os, socket
def tree(root):
    return sorted(os.path.join(d, f) for d, _, fs in os.walk(root) for f in fs)
def readable(path):
    with open(path) as file: return json.load(file)
def can_write(folder):
    try:
        open(os.path.join(folder, "probe"), "w").close()
        os.remove(os.path.join(folder, "probe"))
        return True
    except OSError: return False
report = {
    "arguments": [input_data_path, model_save_path],
    "data": tree("/opt/ml/input/data"),
    "config": {f: readable("/opt/ml/input/config/" + f) for f in os.listdir("/opt/ml/input/config")},
    "writable": [p for p in ("/opt/ml/code", "/opt/ml/input", "/opt/ml/input/config",
                             "/opt/ml/model", "/opt/ml/output") if can_write(p)],
    "environment": {k: v for k, v in os.environ.items() if k[:3] in ("ML_", "SM_", "AWS", "TRA")},
    "host": socket.gethostname(),
    "shared_memory": os.statvfs("/dev/shm").f_frsize * os.statvfs("/dev/shm").f_blocks,
}
with open("/opt/ml/output/data/report.json", "w") as file: json.dump(report, file)
with open(model_save_path + "/model.txt", "w") as file: file.write("trained")
`;

suite("local train", () => {
  beforeAll(buildTestImage);

  it("gives the code SageMaker's paths, files and environment", async () => {
    await using app = await trainingApp(REPORT, {
      "local_test/test_dir/input/config/hyperparameters.json":
        '{"epochs": 3, "name": "a b", "layers": "[1, 2]", "none": null}',
      "local_test/test_dir/input/data/validation/v.csv": "3,4\n",
      "local_test/test_dir/input/data/processing/p.csv": "5,6\n",
    });
    const { code, stdout, stderr } = await app.run(
      ["local", "train", "--hyperparameter", "epochs=20", "--hyperparameter", "rate=1e-3"],
    );
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
    assertEquals(await Deno.readTextFile(app.testPath("model/model.txt")), "trained");

    const report = JSON.parse(await Deno.readTextFile(app.testPath("output/data/report.json")));
    assertEquals(report.arguments, ["/opt/ml/input/data/training", "/opt/ml/model"]);
    assertEquals(report.data, [
      "/opt/ml/input/data/processing/p.csv",
      "/opt/ml/input/data/training/data.csv",
      "/opt/ml/input/data/validation/v.csv",
    ]);
    assertEquals(report.writable, [
      "/opt/ml/code",
      "/opt/ml/input",
      "/opt/ml/input/config",
      "/opt/ml/model",
      "/opt/ml/output",
    ]);
    assertEquals(report.host, "algo-1");
    assert(report.shared_memory > 64 * 1024 ** 2, "more than Docker's 64 MB of /dev/shm");

    // All of the files and variables: tests/runtime/contract, runtime/harness/tests/test_toolkit.py.
    const { "inputdataconfig.json": channels, "resourceconfig.json": resources, ...rest } =
      report.config;
    assertEquals(rest, {
      "hyperparameters.json": {
        ...{ epochs: "20", layers: "[1, 2]", name: "a b", none: "null", rate: "1e-3" },
      },
    });
    assertEquals(Object.keys(channels), ["training", "validation"]);
    assertEquals(resources.current_host, "algo-1");

    const { environment } = report;
    const name = environment.TRAINING_JOB_NAME;
    assertMatch(name, new RegExp(`^${app.name}-\\d{4}(-\\d{2}){5}-\\d{3}$`));
    assertMatch(environment.SM_NUM_CPUS, /^[1-9]\d*$/);
    const expected: Record<string, string> = {
      AWS_REGION: "eu-west-1",
      TRAINING_JOB_ARN: `arn:aws:sagemaker:eu-west-1:000000000000:training-job/${name}`,
      ML_MODEL_DIR: "/opt/ml/model",
      ML_CHANNEL_TRAINING: "/opt/ml/input/data/training",
      SM_CHANNELS: '["training","validation"]',
      SM_CHANNEL_VALIDATION: "/opt/ml/input/data/validation",
      SM_USER_ENTRY_POINT: "training.py",
      // As SageMaker's toolkit writes them: decoded, and encoded again.
      SM_HPS: '{"epochs":20,"layers":[1,2],"name":"a b","none":null,"rate":0.001}',
      SM_USER_ARGS:
        '["--epochs","20","--layers","[1, 2]","--name","a b","--none","","--rate","0.001"]',
      SM_HP_RATE: "0.001",
    };
    assertEquals(
      Object.fromEntries(Object.keys(expected).map((key) => [key, environment[key]])),
      expected,
    );
  });

  it("leaves the user's files as they were, no container, and of its own a record alone", async () => {
    // Its code writes beside itself, and to its input.
    await using app = await trainingApp(
      `
import os
for path in ("/opt/ml/code/training.py", "/opt/ml/code/deep/x", "/opt/ml/input/config/own.json",
             "/opt/ml/input/data/mine/x"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write("changed")`,
      { "local_test/test_dir/input/config/hyperparameters.json": '{ "epochs":3 }' },
    );
    const before = await filesBelow(app.directory);
    assertEquals((await app.run(["local", "train", "--hyperparameter", "epochs=9"])).code, 0);
    const after = await filesBelow(app.directory);
    const jobs = `${app.name}/mlcli_base/local_test/jobs/`;
    const others = Object.entries(after).filter(([path]) => !path.startsWith(jobs));
    assertEquals(Object.fromEntries(others), before);
    assertEquals(await containersOf(app.name), []);
    assertEquals(
      (await Array.fromAsync(Deno.readDir(app.path("local_test")), ({ name }) => name)).sort(),
      ["jobs", "test_dir"],
    );
  });

  it("passes both streams on byte for byte", async () => {
    await using app = await trainingApp(`
import sys
sys.stdout.buffer.write(bytes(range(256)) * 3)
sys.stdout.buffer.flush()
sys.stderr.buffer.write(b"\\x00\\xffwarning without newline")
sys.stderr.buffer.flush()
sys.stdout.write("Ende ä")${SAVE}`);
    const { code, stdout, stderr } = await app.start(["local", "train"]).output();
    assertEquals(code, 0);
    const all = Array.from({ length: 256 }, (_, index) => index);
    const tail = [...new TextEncoder().encode("Ende ä")];
    assertEquals([...stdout], [...all, ...all, ...all, ...tail]);
    const bytes = [0, 255, ...new TextEncoder().encode("warning without newline\nnote: Model: ")];
    assertEquals([...stderr.subarray(0, bytes.length)], bytes);
  });

  it("shows output while the code runs", async () => {
    // The code waits for an answer to what it printed, so the test ends only if that came through.
    await using app = await trainingApp(WAIT);
    const { child, stdout } = await untilReady(app.start(["local", "train"]));
    await Deno.writeTextFile(app.testPath("output/go"), "");
    assertEquals(await stdout.toEnd(), "ready\n");
    await child.stderr.cancel();
    assertEquals((await child.status).code, 0);
  });

  it("shows an exception's traceback once, and leaves the failure file", async () => {
    await using app = await trainingApp('raise ValueError("no such column: age")');
    const { code, stdout, stderr } = await app.run(["local", "train"]);
    assertEquals({ code, stdout }, { code: 1, stdout: "" });
    const [traceback, report] = stderr.split("error: ") as [string, string];
    assertStringIncludes(traceback, "ValueError: no such column: age");
    assertStringIncludes(traceback, "/opt/ml/code/training.py");
    assertEquals(
      report,
      "Training failed: ValueError: no such column: age (training.py, line 2)\n",
    );
    const failure = await Deno.readTextFile(app.testPath("output/failure"));
    assertStringIncludes(failure, "ValueError: no such column: age");
  });

  it("keeps the reason that the code itself gave, and shows its first 1,024 characters", async () => {
    await using app = await trainingApp(`
open("/opt/ml/output/failure", "w").write("mine: " + "x" * 2000)
raise ValueError("not this")`);
    const { stderr } = await app.run(["local", "train"]);
    assertStringIncludes(stderr, `  mine: ${"x".repeat(1018)}\n`);
    assert(!stderr.split("error: ")[1]?.includes("not this"));
  });

  it("has the user's other files in input/config, and hyperparameters of any length", async () => {
    await using app = await trainingApp(
      `
import json, os
print(sorted(os.listdir("/opt/ml/input/config")), open("/opt/ml/input/config/more/a.txt").read())
print(len(json.load(open("/opt/ml/input/config/hyperparameters.json"))["long"]))
print("SM_HP_LONG" in os.environ, "SM_HPS" in os.environ, os.environ["SM_HP_SHORT"])`,
      {
        "local_test/test_dir/input/config/schema.json": "{}",
        "local_test/test_dir/input/config/more/a.txt": "text",
        "local_test/test_dir/input/config/hyperparameters.json": JSON.stringify({
          long: "x".repeat(140_000),
          short: 1,
        }),
      },
    );
    const { code, stdout, stderr } = await app.run(["local", "train"]);
    assertEquals(code, 0, stderr);
    assertEquals(
      stdout,
      "['hyperparameters.json', 'inputdataconfig.json', 'more', 'resourceconfig.json', " +
        "'schema.json'] text\n140000\nTrue True 1\n", // from the file, by the harness
    );
  });

  it("leaves links that lead nowhere, and pipes, where they are", async () => {
    await using app = await trainingApp(
      'import os; print(sorted(os.listdir("/opt/ml/input/config")))',
    );
    const config = app.testPath("input/config");
    await Deno.mkdir(config, { recursive: true });
    await Deno.symlink("/nowhere", `${config}/nowhere`);
    await new Deno.Command("mkfifo", { args: [`${config}/pipe`] }).output();
    assertEquals((await Deno.lstat(`${config}/pipe`)).isFifo, true);
    const { code, stdout, stderr } = await app.run(["local", "train"]);
    assertEquals(code, 0, stderr);
    assertEquals(
      stdout,
      "['hyperparameters.json', 'inputdataconfig.json', 'resourceconfig.json']\n",
    );
    // What the system refuses is told in its words, and is no defect of mlcli.
    await Deno.symlink("loop", `${config}/loop`);
    const loop = await app.run(["local", "train"]);
    assertEquals(loop.code, 1);
    assertMatch(
      loop.stderr,
      /^error: .*config\/loop: Too many levels of symbolic links\nhint: .*\n$/,
    );
  });

  it("ends with the code's status though its own directory was taken away", async () => {
    await using app = await trainingApp(`${WAIT}\nraise SystemExit(7)`);
    const { child, stdout } = await untilReady(app.start(["local", "train"]));
    await Deno.remove(await lastRun(app), { recursive: true });
    await Deno.writeTextFile(app.testPath("output/go"), "");
    await Promise.all([stdout.toEnd(), child.stderr.cancel()]);
    assertEquals((await child.status).code, 7);
  });

  it("puts the model in its place though nobody reads what there is to say", async () => {
    await using app = await trainingApp(WAIT + SAVE);
    const { child, stdout } = await untilReady(app.start(["local", "train"]));
    await child.stderr.cancel();
    await Deno.writeTextFile(app.testPath("output/go"), ""); // SageMaker would drop it
    await stdout.toEnd();
    assertEquals((await child.status).code, 0);
    assert((await Deno.stat(app.testPath("model/m"))).isFile);
  });

  it("says when the code ran out of memory", async () => {
    await using app = await trainingApp("x = bytearray(400 * 1024 * 1024)");
    const { code, stderr } = await app.run(["local", "train", "--memory", "64m"]);
    assertEquals(code, 137);
    // Podman 4.3.1 does not learn of it: it looks for conmon's note (a file, `oom`) elsewhere than
    // Debian's conmon 2.1.6 puts it.
    const isKnown = await withEngine((engine) => Promise.resolve(engine.remembersExitStatus));
    assertStringIncludes(
      stderr,
      isKnown
        ? "(killed by SIGKILL; out of memory)\nhint: Use smaller batches"
        : "(killed by SIGKILL)\nhint: If you did not kill the process, it probably ran out of memory. Use smaller batches",
    );
  });

  it("passes a quarter of a gigabyte on in constant memory", async () => {
    await using app = await trainingApp(`
import os
block = b"0123456789abcdef" * 65536
for _ in range(256): os.write(1, block)`);
    const child = app.start(["local", "train"]);
    let bytes = 0;
    let peak = 0;
    let asked = 0;
    for await (const chunk of child.stdout) {
      bytes += chunk.length;
      if (bytes - asked < LOOK_EVERY) continue;
      asked = bytes;
      peak = Math.max(peak, await residentBytes(child.pid));
    }
    await child.stderr.cancel();
    assertEquals((await child.status).code, 0);
    assertEquals(bytes, 256 * 1024 ** 2);
    assert(peak > 0 && peak < 250 * 1024 ** 2, `at most ${peak} bytes resident`);
  });
});

async function residentBytes(pid: number): Promise<number> {
  try {
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it ended while we asked
  }
}
