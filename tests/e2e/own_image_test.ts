import { assert, assertEquals } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { baseImage, buildImage, containersOf, removeImage } from "../helpers/engine.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const NAME = "mlcli-test-toolkit";
const TAG = crypto.randomUUID().slice(0, 8);

/** As AWS's toolkits do it: a program of the image runs what lies in /opt/ml/code. */
const START = `
import os, runpy, subprocess, sys
# The toolkit makes shell entry points executable, so the directory has to be writable.
subprocess.run(["chmod", "+x", "/opt/ml/code/user.py"])
runpy.run_path("/opt/ml/code/user.py")
`;
const USER = 'print("the image\'s own code")\nopen("/opt/ml/model/made", "w").close()\n';

/** What a program was started with, and its surroundings. */
const REPORT = `
import json, os, socket, sys
names = [name for _, name in socket.if_nameindex()]
code = os.listdir("/opt/ml/code")
# AWS's toolkit waits a quarter of an hour for its host's address before it runs the user's code.
address = socket.gethostbyname("algo-1")
print(json.dumps([sys.argv[1:], os.environ.get("GREETING"), sorted(names), sorted(code), address]))
`;

/** An app on that image. Its directories of code are empty, but for these files. */
async function toolkitApp(files: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  return await makeApp({
    configuration: { image_name: NAME },
    files: {
      [TRAINING_DATA]: "1,2\n",
      "local_test/test_dir/input/data/processing/p.csv": "1\n",
      "training/.gitkeep": "",
      "prediction/.gitkeep": "",
      "processing/.gitkeep": "",
      ...files,
    },
  });
}

suite("an image that carries its code in /opt/ml/code", () => {
  beforeAll(async () => {
    await buildImage(`${NAME}:${TAG}`, {
      Dockerfile: `FROM ${baseImage()}\nCOPY start.py report.py /opt/program/\n` +
        "COPY user.py /opt/ml/code/\n" +
        'ENTRYPOINT ["python3", "/opt/program/start.py"]\n',
      "start.py": START,
      "user.py": USER,
      "report.py": REPORT,
    });
  });
  afterAll(() => removeImage(`${NAME}:${TAG}`));

  const tag = ["--docker-tag", TAG];

  it("trains with that code while training/ is empty", async () => {
    await using app = await toolkitApp();
    const { code, stdout, stderr } = await app.run(["local", "train", ...tag]);
    assertEquals({ code, stdout, stderr }, {
      code: 0,
      stdout: "the image's own code\n",
      stderr: "",
    });
    assert((await Deno.stat(app.testPath("model/made"))).isFile);
  });

  it("trains with that code where there is no training/", async () => {
    await using app = await toolkitApp();
    await Deno.remove(app.path("training"), { recursive: true });
    const { code, stdout, stderr } = await app.run(["local", "train", ...tag]);
    assertEquals([code, stdout, stderr], [0, "the image's own code\n", ""]);
  });

  it("processes with a program of its own, and arguments byte for byte", async () => {
    await using app = await toolkitApp();
    const args = ["a b", "", "--no-color", "-h", 'it\'s "é" $HOME \\n', "--", "--file", "🙂"];
    const words = ["--command", "python3", "--command=-u", "--command"];
    const { code, stdout, stderr } = await app.run([
      ...["--no-color", "local", "process", ...tag, ...words, "/opt/program/report.py"],
      ...["--env", "GREETING=say: a=b 'c' é ", "--", ...args],
    ]);
    assertEquals([code, stderr], [
      0,
      "warning: SageMaker rejects empty arguments in a processing job: argument 2\n" +
      "hint: Remove these arguments\n",
    ]);
    const [argv, greeting, , files] = JSON.parse(stdout);
    assertEquals(argv, args);
    assertEquals(greeting, "say: a=b 'c' é ");
    assertEquals(files, ["user.py"]);
    assertEquals(await containersOf(app.name), []);
  });

  it("gets variables of files and of this machine, and no network where none is wanted", async () => {
    await using app = await toolkitApp({ "training/user.py": REPORT });
    await app.write(`${app.directory}/prod.env`, "# secrets\nGREETING=file\n");
    const file = await app.run(["local", "train", ...tag, "--env-file", "prod.env"]);
    const [, fromFile, interfaces] = JSON.parse(file.stdout);
    assertEquals(fromFile, "file");
    assert(interfaces.length > 1, `${interfaces}`);

    const isolated = await app.run(
      ["local", "train", ...tag, "--network-isolation", "--env-file=prod.env", "--env", "GREETING"],
      { env: { GREETING: "here" } },
    );
    assertEquals([isolated.code, isolated.stderr.includes("Traceback")], [0, false]);
    const [, fromHere, alone, , address] = JSON.parse(isolated.stdout);
    assertEquals([fromHere, alone, address], ["here", ["lo"], "127.0.0.1"]);

    const processed = await app.run([
      ...["local", "process", ...tag, "--network-isolation", "--command", "python3"],
      ...["--", "/opt/program/report.py"],
    ]);
    assertEquals(JSON.parse(processed.stdout).slice(0, 3), [[], null, ["lo"]]);
  });
});
