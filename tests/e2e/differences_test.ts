import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { baseImage, buildTestImage, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const TRAIN = ["local", "train"];
const PROCESS = ["local", "process", "-f", "p.py"];

function appOf(code: string, files: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: {
      "training/training.py": `import os, subprocess
def train(data, model):
    open(model + "/model.txt", "w").close()
${code.replace(/^/gm, "    ")}
`,
      "processing/p.py": `import os, subprocess\n${code}\n`,
      [TRAINING_DATA]: "1,2\n",
      "local_test/test_dir/input/data/processing/p.csv": "1\n",
      "local_test/test_dir/model/model.json": "{}",
      ...files,
    },
  });
}

/** What a run of this code is warned of; it ends with 0. */
async function said(code: string, args: readonly string[]): Promise<string> {
  await using app = await appOf(code);
  const { code: status, stdout, stderr } = await app.run(args);
  assertEquals([status, stdout], [0, ""], stderr);
  return stderr;
}

suite("files that a run leaves where SageMaker drops them", () => {
  beforeAll(buildTestImage);

  type Row = readonly [title: string, args: readonly string[], code: string, warning: string];
  const rows: readonly Row[] = [
    [
      "a script writes beside its output",
      PROCESS,
      'os.makedirs("/opt/ml/processing/train")\nopen("/opt/ml/processing/train/t.csv", "w").close()',
      "warning: Processing wrote files outside its outputs, so they are lost: " +
      "/opt/ml/processing/train/t.csv\nhint: Write results to /opt/ml/processing/output\n",
    ],
    [
      "nothing, where a script reads its input and writes its output",
      PROCESS,
      `
for folder, _, files in os.walk("/opt/ml/processing"):
    for file in files: open(folder + "/" + file).close()
os.makedirs("/opt/ml/processing/output/deep")
open("/opt/ml/processing/output/deep/t.csv", "w").close()`,
      "",
    ],
    [
      "nothing, where a training reads its channels and writes its model",
      TRAIN,
      `
os.listdir("/opt/ml/input/data")
for folder, _, files in os.walk(data):
    for file in files: open(folder + "/" + file).close()
open("/opt/ml/output/data/metrics.json", "w").close()`,
      "",
    ],
  ];
  for (const [title, args, code, warning] of rows) {
    it(`is said: ${title}`, async () => assertEquals(await said(code, args), warning));
  }

  it("are named before the error of a script that fails", async () => {
    await using app = await appOf('open("/opt/ml/processing/t.csv", "w")\nraise SystemExit(3)');
    const { code, stderr } = await app.run(PROCESS);
    assertEquals(code, 3);
    assertMatch(
      stderr,
      /^warning: Processing wrote files outside its outputs, so they are lost: \/opt\/ml\/processing\/t\.csv\nhint: .*\nerror: Processing failed: exit code 3\n$/,
    );
  });
});

suite("warnings that an image differs from the app's files", () => {
  beforeAll(buildTestImage);

  it("come only once a file has other bytes, not after init, build and touch", async () => {
    await using app = await makeApp({ configuration: { base_image: baseImage() } });
    for (const args of [["init", app.name], ["build"]]) {
      assertEquals((await app.run(args)).code, 0);
    }
    const commands = [TRAIN, ["local", "process", "--file", "processing.py"], [
      "local",
      "deploy",
      "-p",
      "0",
    ]];
    const stop = async (stdout: string): Promise<void> => {
      if (stdout === "") return;
      assertEquals((await app.run(["local", "stop", "-p", new URL(stdout.trim()).port])).code, 0);
    };
    for (const args of commands) {
      const { code, stdout, stderr } = await app.run(args);
      const warnings = stderr.split("\n").filter((line) => /^(warning|error|hint):/.test(line));
      assertEquals([args, code, warnings], [args, 0, []]);
      if (args[1] === "deploy") await stop(stdout);
    }
    const edited = `${app.directory}/requirements.txt`;
    const later = new Date(Date.now() + 3_600_000);
    for (const path of [edited, app.path("training/training.py"), app.path("Dockerfile")]) {
      await Deno.utime(path, later, later);
    }
    const strict = await app.run([...TRAIN, "--strict"]);
    assertEquals(strict.code, 0, strict.stderr);
    const text = await Deno.readTextFile(edited);
    await Deno.writeTextFile(edited, `${text}# edited\n`);
    for (const args of commands) {
      const { code, stdout, stderr } = await app.run(args);
      assertEquals(code, 0, stderr);
      assertStringIncludes(
        stderr,
        `warning: ${app.name}:latest differs from requirements.txt: SageMaker runs the image ` +
          "as it is\n",
      );
      const again = args[1] === "deploy" ? "" : ` && mlcli ${args.join(" ")}`;
      assertStringIncludes(stderr, `hint: mlcli build${again}\n`);
      if (args[1] === "deploy") await stop(stdout);
    }
    await Deno.writeTextFile(edited, text);
    assertEquals((await app.run(TRAIN)).stderr.includes("differs"), false);
  });
});
