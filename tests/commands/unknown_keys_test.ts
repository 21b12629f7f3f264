import { assert, assertEquals } from "@std/assert";
import { completeApp } from "../helpers/app.ts";
import { fakeContainers } from "../helpers/fake_containers.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { commandsWith, except, type Exceptions, openStage } from "../helpers/command_lines.ts";
import { CONFIGURATION } from "../helpers/job_app.ts";
import { it, suite } from "../helpers/suite.ts";

const NO_FILE = "it finds servers by the app's name, without the configuration file";

/** Commands with `--app-name` that print no warning. */
const EXCEPTIONS: Exceptions = {
  "local stop": NO_FILE,
  "local status": NO_FILE,
  "local logs": NO_FILE,
  "local ui": "its command line names an app that does not exist",
  "doctor": "it prints them as problems",
};

suite("keys of the configuration file that were probably meant differently", () => {
  it("each command that reads the configuration file warns once of each unknown key, at any level", async () => {
    await using stage = await openStage({
      configuration: {
        ...CONFIGURATION,
        "cloud-region": "eu-west-1",
        ec2_type: "ml.m5.large",
        memory: "kept: it may be anybody's",
        my_own_notes: 1,
        train: { ec2_typ: "ml.m5.large" },
        deploy: { region: "eu-west-1" },
        local: { memroy: "8g" },
      },
    });
    const file = `${stage.app.name}.json`;
    const warnings = [
      [`unknown key "cloud-region"`, 'Did you mean "cloud_region"?'],
      [
        '"ec2_type" has no effect at the top level',
        'Move it into "train", "process", "deploy" or "transform": {"train": {"ec2_type": ...}}',
      ],
      ['unknown key "ec2_typ" in "train"', 'Did you mean "ec2_type"?'],
      [
        '"region" in "deploy" has no effect',
        'Set "cloud_region" at the top level of the file',
      ],
      ['unknown key "memroy" in "local"', 'Did you mean "memory"?'],
    ] as const;
    const expected = warnings.map(([message, hint]) =>
      `warning: ${file}: ${message}\nhint: ${hint}\n`
    ).join("");
    for (const name of except(await commandsWith("--app-name"), EXCEPTIONS)) {
      const { stderr } = await stage.runCommand(name, { cloud: undefined });
      assert(stderr.startsWith(expected), `${name}: ${stderr}`);
      assertEquals(stderr.split("unknown key").length, 4, name);
    }
    const { stdout } = await stage.runCommand("doctor");
    for (const [message] of warnings) assertEquals(stdout.split(message).length, 2, stdout);
  });

  it("are none where the person has keys of their own", async () => {
    await using app = await completeApp({
      configuration: { $schema: "./x", owner: "me", tag: "a", own_key: 1, train: { note: "b" } },
    });
    await using engine = await fakeContainers({ program: ({ end }) => end(0) });
    const { stderr } = await runInProcess(["local", "train"], { cwd: app.directory, engine });
    assertEquals(stderr.includes("warning"), false, stderr);
  });

  it("say which counts: the base image, not the Python version", async () => {
    const configuration = { base_image: "python:3.11-slim", python_version: "3.12" };
    await using app = await completeApp({ configuration });
    await using engine = await fakeContainers({});
    const warning = `${app.name}.json: "python_version" has no effect with "base_image"`;
    const options = { cwd: app.directory, engine };
    const built = await runInProcess(["build"], options);
    assert(
      built.stderr.startsWith(
        `warning: ${warning}\n` +
          "hint: Remove one of them: the image uses the Python of python:3.11-slim\n",
      ),
      built.stderr,
    );
    const other = await runInProcess(["build", "--base-image", "a"], options);
    assertEquals(other.stderr.includes(warning), false, other.stderr);
    const { stdout } = await runInProcess(["doctor"], options);
    assertEquals(stdout.split(warning).length, 2, stdout);
  });
});
