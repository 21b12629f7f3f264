import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../../helpers/app.ts";
import { buildImage, buildTestImage, removeImage, TEST_IMAGE } from "../../helpers/engine.ts";
import { programCommand, type ProgramResult } from "../../helpers/program.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";

const TRAINING = `
import os
def train(data, model, hyperparameters):
    print(os.getuid(), hyperparameters, open("/opt/ml/input/config/own.json").read())
`;

async function appOfOther(): Promise<TestApp> {
  const name = `test-${crypto.randomUUID().slice(0, 8)}`;
  await buildImage(name, { Dockerfile: `FROM ${TEST_IMAGE}\nUSER 1000\n` });
  const app = await makeApp({
    name,
    files: {
      [TRAINING_DATA]: "1\n",
      "local_test/test_dir/input/config/hyperparameters.json": '{"epochs": 3}',
      "local_test/test_dir/input/config/own.json": '"own"',
      "training/training.py": TRAINING,
    },
  });
  // What its programs write to is opened by whoever makes the image: the hint says how.
  for (const folder of ["output", "output/data"]) {
    await Deno.mkdir(app.testPath(folder));
    await Deno.chmod(app.testPath(folder), 0o777);
  }
  return app;
}

/** Runs a command under a umask that lets nobody else read what is made. */
async function runClosed(app: TestApp, args: readonly string[]): Promise<ProgramResult> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", 'umask 077; exec "$@"', "sh", ...programCommand(args)],
    cwd: app.directory,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

suite("an image with a user of its own, and files that are closed to others", () => {
  beforeAll(buildTestImage);

  it("reads what mlcli writes for it, whatever the umask is", async () => {
    await using app = await appOfOther();
    try {
      await Deno.chmod(app.testPath("input/config/own.json"), 0o600);
      const { code, stdout, stderr } = await runClosed(app, [
        "local",
        "train",
        "--network-isolation",
      ]);
      assertEquals({ code, stdout }, { code: 0, stdout: "1000 {'epochs': 3} \"own\"\n" }, stderr);
    } finally {
      await removeImage(app.name);
    }
  });

  it("is told which directory to open where it cannot read the user's own", async () => {
    await using app = await appOfOther();
    try {
      await Deno.chmod(app.path("training"), 0o700);
      const { code, stderr } = await app.run(["local", "train", "--network-isolation"]);
      assertEquals(code, 1, stderr);
      const training = `${app.name}/mlcli_base/training`;
      assertMatch(
        stderr,
        new RegExp(
          `\nhint: Let the image's user \\(1000\\) access ${training}: chmod -R o\\+rX ${training}`,
        ),
      );
    } finally {
      await removeImage(app.name);
    }
  });
});
