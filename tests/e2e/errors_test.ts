import { assert, assertEquals } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { it, suite } from "../helpers/suite.ts";

/** One row of the design's table of errors, and the command lines around it. */
interface Row {
  readonly title: string;
  readonly args: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly prepare?: (app: TestApp) => Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
  /** First line of standard error after `error: `; APP stands for the app's name. */
  readonly message: string;
}

const TEST_DIRECTORY = "APP/mlcli_base/local_test/test_dir";

/** What is in the place of a file that the program reads: a pipe that nobody writes to, or a disk. */
async function makePipe(path: string): Promise<void> {
  await Deno.remove(path).catch(() => {});
  const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
  assert(success);
}

async function makeHuge(path: string): Promise<void> {
  await Deno.writeTextFile(path, "");
  await Deno.truncate(path, 3 * 1024 ** 3);
}

const HYPERPARAMETERS = "local_test/test_dir/input/config/hyperparameters.json";

const ROWS: readonly Row[] = [
  // Files that a repository or an archive may hold, whoever packed it.
  {
    title: "a pipe in the place of .dockerignore",
    args: ["build"],
    files: { Dockerfile: "", "../../requirements.txt": "" },
    prepare: (app) => makePipe(`${app.directory}/.dockerignore`),
    message: "Cannot read .dockerignore: Is not a regular file",
  },
  {
    title: "a pipe in the place of the hyperparameters",
    args: ["local", "train"],
    files: { [TRAINING_DATA]: "1", [HYPERPARAMETERS]: "" },
    prepare: (app) => makePipe(app.path(HYPERPARAMETERS)),
    message: `Cannot read APP/mlcli_base/${HYPERPARAMETERS}: Is not a regular file`,
  },
  {
    title: "hyperparameters of 3 GiB",
    args: ["local", "train"],
    files: { [TRAINING_DATA]: "1", [HYPERPARAMETERS]: "" },
    prepare: (app) => makeHuge(app.path(HYPERPARAMETERS)),
    message: `Cannot read APP/mlcli_base/${HYPERPARAMETERS}: Is larger than 1 MiB`,
  },
  {
    title: "a configuration of 3 GiB",
    args: ["local", "train"],
    prepare: (app) => makeHuge(`${app.directory}/${app.name}.json`),
    message: "Cannot read APP.json: Is larger than 1 MiB",
  },
  ...["train", "deploy", "process --file x.py"].map((command) => ({
    title: `local ${command} without local_test/test_dir`,
    args: ["local", ...command.split(" ")],
    prepare: (app: TestApp) => Deno.remove(app.testPath(), { recursive: true }),
    message: "Not a valid mlcli directory: APP/mlcli_base",
  })),
  {
    title: "local train without data",
    args: ["local", "train"],
    message: `No such file or directory: ${TEST_DIRECTORY}/input/data/training (training data)`,
  },
  {
    title: "local deploy without a model",
    args: ["local", "deploy"],
    files: { "local_test/test_dir/model/.gitkeep": "" },
    message: `Model not found: ${TEST_DIRECTORY}/model`,
  },
  ...["missing.py", "/etc/passwd", "../training/training.py", "folder"].map((file) => ({
    title: `local process --file ${file}`,
    args: ["local", "process", "--file", file],
    files: { "processing/folder/inner.py": "", "training/training.py": "" },
    message: `Processing file not found: ${file}`,
  })),
  {
    title: "no engine",
    args: ["local", "train"],
    files: { [TRAINING_DATA]: "1" },
    env: { DOCKER_HOST: "unix:///nowhere/docker.sock" },
    message: "Cannot connect to a Docker Engine",
  },
];

suite("errors of the local commands", () => {
  for (const row of ROWS) {
    it(row.title, async () => {
      await using app = await makeApp({ files: row.files });
      await row.prepare?.(app);
      const { code, stdout, stderr } = await app.run(row.args, { env: row.env });
      const message = row.message.replaceAll("APP", app.name);
      assertEquals({ code, stdout }, { code: 1, stdout: "" });
      const [first, ...rest] = stderr.split("\n");
      assertEquals(first, `error: ${message}`);
      assert(rest.some((line) => line.startsWith("hint: ")), `a hint in: ${stderr}`);
      assert(!/^\s+at /m.test(stderr), `no stack in: ${stderr}`);
    });
  }

  it("is not a valid directory without a configuration file", async () => {
    await using app = await makeApp();
    await Deno.remove(`${app.directory}/${app.name}.json`);
    const { code, stdout, stderr } = await app.run(["local", "train"]);
    assertEquals({ code, stdout }, { code: 1, stdout: "" });
    assertEquals(stderr.split("\n")[0], `error: Not a valid mlcli directory: ${app.directory}`);
  });

  it("shows the stack only when MLCLI_DEBUG=1 asks for it", async () => {
    await using app = await makeApp();
    const { stderr } = await app.run(["local", "train"], { env: { MLCLI_DEBUG: "1" } });
    assert(/^\s+at /m.test(stderr), `a stack in: ${stderr}`);
  });
});
