import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { clonedApp, link, ownersBelow } from "../helpers/clone.ts";
import { buildTestImage, containersOf, TEST_IMAGE, withEngine } from "../helpers/engine.ts";
import { type OtherUser, otherUser } from "../helpers/other_user.ts";
import { leaveRun } from "../helpers/runs.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Somebody who is neither root nor the caller. */
const STRANGER = 54399;
const IS_ROOT = Deno.uid() === 0;

const TEST = "local_test/test_dir";

suite("a repository that means harm, run by somebody who is not root", () => {
  let user: OtherUser;
  /** A directory of somebody else's, outside of every app. */
  let elsewhere: string;

  beforeAll(async () => {
    await buildTestImage();
    user = await otherUser();
    elsewhere = join(await Deno.makeTempDir({ prefix: "mlcli-elsewhere-" }), "data");
    await Deno.mkdir(elsewhere);
    await Deno.writeTextFile(join(elsewhere, "secret.csv"), "1,2\n");
    await Deno.writeTextFile(join(elsewhere, "root-only"), "", { mode: 0o600 });
    if (IS_ROOT) await Deno.chown(join(elsewhere, "root-only"), STRANGER, STRANGER);
    await Deno.chmod(dirname(elsewhere), 0o755);
  });
  afterAll(async () => {
    await user?.[Symbol.asyncDispose]();
    await Deno.remove(dirname(elsewhere), { recursive: true });
  });

  /** What is said where nothing runs. */
  async function refusal(app: TestApp, args = ["local", "train"]): Promise<string> {
    const { code, stderr } = await user.run(args, app.directory);
    assertEquals(code, 1, stderr);
    return stderr;
  }

  const BASE = "APP/mlcli_base";
  const OF_TRAIN = ["train"];
  const OF_PROCESS = ["process", "-f", "p.py"];
  const OF_DEPLOY = ["deploy", "-p", "0"];
  for (
    const [place, ...commands] of [
      [`${BASE}`, OF_TRAIN, OF_PROCESS, OF_DEPLOY],
      [`${BASE}/training`, OF_TRAIN],
      [`${BASE}/prediction`, OF_DEPLOY],
      [`${BASE}/processing`, OF_PROCESS],
      [`${BASE}/local_test`, OF_TRAIN, OF_PROCESS, OF_DEPLOY],
      [`${BASE}/${TEST}`, OF_TRAIN, OF_PROCESS, OF_DEPLOY],
      [`${BASE}/${TEST}/model`, OF_TRAIN, OF_PROCESS, OF_DEPLOY],
      [`${BASE}/${TEST}/output`, OF_TRAIN, OF_PROCESS],
      [`${BASE}/${TEST}/input`, OF_TRAIN, OF_PROCESS],
      [`${BASE}/${TEST}/input/config`, OF_TRAIN],
      [`${BASE}/${TEST}/input/data`, OF_TRAIN, OF_PROCESS],
      [`${BASE}/${TEST}/input/data/training`, OF_TRAIN],
      [`${BASE}/${TEST}/input/data/validation`, OF_TRAIN],
      [`${BASE}/${TEST}/input/data/processing`, OF_PROCESS],
    ] as const
  ) {
    for (const command of commands) {
      it(`${place} that leads out is refused by local ${command[0]}`, async () => {
        await using app = await clonedApp(user);
        await Deno.mkdir(join(elsewhere, TEST), { recursive: true });
        await link(app, place, elsewhere);
        const before = await ownersBelow(elsewhere);
        const { code, stdout, stderr } = await user.run(["local", ...command], app.directory);
        assertEquals({ code, stdout }, { code: 1, stdout: "" });
        const [first, hint] = stderr.split("\n") as [string, string];
        const shown = place.replace("APP", app.name);
        assertStringIncludes(first, `error: ${shown} points outside `);
        assertStringIncludes(first, `, to ${elsewhere}`);
        assertMatch(hint, /^hint: /);
        assertEquals(await ownersBelow(elsewhere), before);
        assertEquals(await containersOf(app.name), []);
      });
    }
  }

  it("the refusal's hint is the command that names the data, and that works", async () => {
    await using app = await clonedApp(user, {
      files: {
        "training/training.py": "import os\ndef train(data, model):\n" +
          "    print(sorted(os.listdir('/opt/ml/input/data')), open(data + '/secret.csv').read())\n" +
          "    print(os.access(data, os.W_OK), sorted(os.listdir('/opt/ml/input/config')))\n" +
          "    open(model + '/m', 'w').close()\n",
        "processing/p.py": "print(open('/opt/ml/processing/input/secret.csv').read())\n",
        [`${TEST}/input/data/validation/v.csv`]: "1\n",
        [`${TEST}/input/config/mine.json`]: "{}",
      },
    });
    for (
      const [place, args, stdout] of [
        [
          "training",
          ["local", "train"],
          "['processing', 'training', 'validation'] 1,2\n\nFalse ['hyperparameters.json', " +
          "'inputdataconfig.json', 'mine.json', 'resourceconfig.json']\n",
        ],
        ["processing", ["local", "process", "-f", "p.py"], "1,2\n\n"],
      ] as const
    ) {
      await link(app, `${BASE}/${TEST}/input/data/${place}`, elsewhere);
      const refused = await user.run(args, app.directory);
      const [, command] = /\nhint: .*: mlcli (.+)\n$/.exec(refused.stderr) ?? [];
      assert(command !== undefined, refused.stderr);
      const result = await user.run(command.split(" "), app.directory);
      assertEquals([result.code, result.stdout], [0, stdout]);
      // What takes long on a busy machine is said to go on.
      assert(!/^(error|warning|hint):/m.test(result.stderr), result.stderr);
    }
  });

  it("links inside the repository work, for code and data", async () => {
    await using app = await clonedApp(user, {
      files: {
        "training/training.py": "import os\ndef train(data, model):\n" +
          "    print(open(data + '/d.csv').read(), os.listdir('/opt/ml/input/data/more'))\n" +
          "    print(open('/opt/ml/input/config/shared.json').read())\n" +
          "    open(model + '/m', 'w').close()\n",
      },
    });
    const shared = join(dirname(app.directory), "shared");
    for (const name of ["data", "config", "training"]) {
      await Deno.mkdir(join(shared, name), { recursive: true });
    }
    await Deno.writeTextFile(join(shared, "data/d.csv"), "7");
    await Deno.writeTextFile(join(shared, "training/.env.example"), "TOKEN=");
    await Deno.writeTextFile(join(shared, "config/shared.json"), "{}");
    await Deno.copyFile(app.path("training/training.py"), join(shared, "training/training.py"));
    await user.owns(dirname(app.directory));
    await link(app, `${BASE}/training`, "../../../shared/training");
    await link(app, `${BASE}/${TEST}/input/config`, join(shared, "config"));
    await link(app, `${BASE}/${TEST}/input/data/training`, join(shared, "data"));
    await link(app, `${BASE}/${TEST}/input/data/more`, join(shared, "data"));
    const { code, stdout, stderr } = await user.run(["local", "train"], app.directory);
    assertEquals({ code, stdout }, { code: 0, stdout: "7 ['d.csv']\n{}\n" }, stderr);
    assertMatch(
      stderr,
      /^warning: mlcli build excludes \S+\/training\/\.env\.example from the image/,
    );
    assertEquals((await Deno.stat(app.testPath("model/m"))).uid, user.uid);
  });

  for (
    const [what, place, target] of [
      ["the repository's own .git", `${BASE}/training`, "../../../.git"],
      ["its hooks, to be written to", `${BASE}/${TEST}/output`, "../../../../../.git"],
      ["the directory that holds .git", `${BASE}/${TEST}/model`, "../../../../.."],
      ["a file with secrets in it", `${BASE}/${TEST}/input/config/x`, "../../../../../../../.env"],
    ] as const
  ) {
    it(`${what} is private, though it is inside`, async () => {
      await using app = await clonedApp(user);
      await Deno.writeTextFile(join(dirname(app.directory), ".env"), "TOKEN=1");
      await link(app, place, target);
      const stderr = await refusal(app);
      assertMatch(stderr, /^error: \S+ points to private data: \/.+\nhint: /);
      assertEquals(await containersOf(app.name), []);
    });
  }

  for (
    const [what, target] of [
      ["credentials", "HOME/.aws/credentials"],
      ["mlcli's own environment", "/proc/self/environ"],
      ["a directory", "HOME/.aws"],
    ] as const
  ) {
    it(`does not copy ${what} into the container's input/config`, async () => {
      await using app = await clonedApp(user);
      await Deno.mkdir(join(user.home, ".aws"), { recursive: true });
      await Deno.writeTextFile(join(user.home, ".aws/credentials"), "aws_secret_access_key=1");
      await user.owns(join(user.home, ".aws"));
      await link(app, `${BASE}/${TEST}/input/config/deep/x`, target.replace("HOME", user.home));
      const stderr = await refusal(app);
      assertMatch(stderr, /^error: \S+\/input\/config\/deep\/x points outside .*\nhint: /);
      assertEquals(
        (await Array.fromAsync(Deno.readDir(app.path("local_test")))).map(({ name }) => name),
        ["test_dir"],
      );
    });
  }

  it("shows no name that a terminal would act upon", async () => {
    await using app = await clonedApp(user);
    await link(app, `${BASE}/${TEST}/input/config/\x1b]0;x\x07\u202e`, "/etc/passwd");
    const stderr = await refusal(app);
    assertMatch(stderr, /^error: \S+\/input\/config\/\?\]0;x\?\? points outside /);
  });

  for (
    const [what, place, target, other] of [
      ["around the code", `${BASE}/${TEST}/output`, "../../training", "APP/mlcli_base/training"],
      ["all of the test data", `${BASE}/${TEST}/output`, ".", `${BASE}/${TEST}`],
      ["the other results", `${BASE}/${TEST}/model`, "output/model", `${BASE}/${TEST}/output`],
      ["the input", `${BASE}/${TEST}/model`, "input/data/model", `${BASE}/${TEST}/input`],
    ] as const
  ) {
    it(`what a run writes to is not ${what}: it could put links there for another run`, async () => {
      await using app = await clonedApp(user);
      await Deno.mkdir(app.testPath("output/model"));
      await Deno.mkdir(app.testPath("input/data/model"));
      await link(app, place, target);
      for (const command of [OF_TRAIN, OF_PROCESS, OF_DEPLOY]) {
        const stderr = await refusal(app, ["local", ...command]);
        assertMatch(stderr, /^error: \S+\/(output|model) overlaps with \S+\nhint: /);
        assertStringIncludes(stderr.split("\n")[0]!, other.replace("APP", app.name));
      }
      assertEquals(await containersOf(app.name), []);
    });
  }

  it("a channel is no link to where a run writes, nor to a directory that holds secrets", async () => {
    await using app = await clonedApp(user);
    await link(app, `${BASE}/${TEST}/input/data/more`, "../../output");
    assertMatch(await refusal(app), /^error: \S+\/output overlaps with \S+\/more\n/);
    await link(app, `${BASE}/${TEST}/input/data/more`, "../../../../../..");
    await Deno.writeTextFile(join(app.directory, "key.p12"), "");
    assertMatch(
      await refusal(app),
      /^error: \S+\/more points to private data: \S+\nhint: Replace the link/,
    );
  });

  it("offers no command for a channel whose name SageMaker would not take", async () => {
    await using app = await clonedApp(user);
    await link(app, `${BASE}/${TEST}/input/data/x=y`, elsewhere);
    const stderr = await refusal(app);
    assertMatch(stderr, /^error: \S+\/x=y points outside .*\nhint: Replace the link with the file/);
  });

  it("a directory of secrets is not mounted or copied by a link to what is around it", async () => {
    await using app = await clonedApp(user);
    await Deno.writeTextFile(join(app.directory, ".env"), "TOKEN=hunter2");
    const backend = join(dirname(app.directory), "backend");
    await Deno.mkdir(join(backend, "deep"), { recursive: true });
    await Deno.writeTextFile(join(backend, "deep/.env"), "TOKEN=hunter2");
    await user.owns(dirname(app.directory));
    for (
      const [place, target] of [
        [`${BASE}/training`, "../.."],
        [`${BASE}/${TEST}/input/config/x`, backend],
      ] as const
    ) {
      const at = await link(app, place, target);
      const stderr = await refusal(app);
      assertMatch(stderr, /^error: \S+ points to private data: \S+\/\.env\n/);
      await Deno.remove(at);
    }
  });

  if (IS_ROOT) {
    it("a stranger's .git in a shared directory above lets nothing in", async () => {
      const shared = await Deno.makeTempDir({ dir: user.home });
      await using app = await makeApp({
        configuration: { image_name: TEST_IMAGE },
        parent: shared,
        files: { [TRAINING_DATA]: "1\n" },
      });
      await Deno.mkdir(join(shared, "others"));
      await user.owns(shared);
      await Deno.symlink(join(shared, "others"), app.testPath("input/data/more"));
      await Deno.mkdir(join(shared, ".git"));
      await Deno.writeTextFile(join(shared, ".git/HEAD"), "");
      await Deno.chown(join(shared, ".git"), STRANGER, STRANGER);
      const stderr = await refusal(app);
      assertMatch(stderr, new RegExp(`points outside ${app.directory}, to ${shared}/others\n`));
    });

    it("a repository that only its owner may look into is one", async () => {
      await using app = await clonedApp(user);
      const git = join(dirname(app.directory), ".git");
      await Deno.chown(git, 0, 0);
      await Deno.chmod(git, 0o700);
      assertEquals((await user.run(["local", "train"], app.directory)).stderr, "");
    });
  }

  it("copies input/config to its end, whatever links lead back in it", async () => {
    await using app = await clonedApp(user);
    for (const name of ["a", "b"]) await link(app, `${BASE}/${TEST}/input/config/${name}`, ".");
    const stderr = await refusal(app);
    assertMatch(
      stderr,
      /^error: Cannot copy \S+\/config\/[ab]: it points to a directory that was already copied\n/,
    );
  });

  for (const place of ["APP", `${BASE}/Dockerfile`, "requirements.txt", ".dockerignore"]) {
    it(`${place} that leads out does not go into an image`, async () => {
      await using app = await clonedApp(user);
      await link(app, place, place === "APP" ? elsewhere : join(elsewhere, "secret.csv"));
      const stderr = await refusal(app, ["build"]);
      assertMatch(stderr, /^error: \S+ points outside .*\nhint: /);
    });
  }

  it("APP.json that leads out is not read", async () => {
    await using app = await clonedApp(user);
    await Deno.writeTextFile(join(elsewhere, "o.json"), '{"cloud_region": 5}');
    await link(app, "APP.json", join(elsewhere, "o.json"));
    const stderr = await refusal(app);
    assertMatch(stderr, /^error: test-\w+\.json points outside .*\nhint: /);
    // Without the app's directory beside it, it is none of this directory's apps.
    await Deno.remove(join(app.directory, app.name), { recursive: true });
    assertMatch(await refusal(app), /^error: Not a valid mlcli directory: /);
  });

  it("init writes nothing through a link that leads out", async () => {
    await using app = await clonedApp(user);
    const target = await Deno.makeTempDir({ prefix: "mlcli-target-", dir: user.home });
    await user.owns(target);
    for (const place of [`${BASE}/prediction`, `${BASE}/${TEST}/input`, BASE]) {
      await link(app, place, target);
      const stderr = await refusal(app, ["init", app.name]);
      assertMatch(stderr, /^error: \S+ points outside .*\nhint: /);
      assertEquals((await Array.fromAsync(Deno.readDir(target))).length, 0);
    }
  });

  it("an app without a repository may not lead out of its own directory", async () => {
    await using app = await makeApp({
      configuration: { image_name: TEST_IMAGE },
      parent: user.home,
      files: { [TRAINING_DATA]: "1\n" },
    });
    const data = await Deno.makeTempDir({ dir: user.home });
    await link(app, `${BASE}/${TEST}/model`, data);
    await user.owns(user.home);
    const stderr = await refusal(app);
    assertMatch(stderr, new RegExp(`^error: \\S+/model points outside ${app.directory}, to `));
  });

  for (
    const [what, directory, line] of [
      [
        "code",
        `${BASE}/training/closed`,
        /^warning {2}Cannot read \S+\/training\/closed: Permission denied\n {9}hint: .*\.dockerignore/m,
      ],
      ["current", ".", /^problem {2}Permission denied: readdir '/m],
    ] as const
  ) {
    it(`does not keep doctor from its other checks by a ${what} directory that may not be read`, async () => {
      await using app = await clonedApp(user);
      const closed = join(app.directory, directory.replace("APP", app.name));
      await Deno.mkdir(closed, { recursive: true });
      await user.owns(app.directory);
      await Deno.chmod(closed, 0o100);
      try {
        const { stdout, stderr } = await user.run(["doctor"], app.directory);
        assertMatch(stdout, line);
        assertMatch(stdout, /^ok {7}Engine /m);
        assertMatch(stdout, /^\S+ +Port 8080 /m);
        assertEquals(/^error: (?!\d)/m.test(stderr), false, stderr);
        if (what === "code") {
          const [, block = ""] = stdout.split("\nDifferences from SageMaker:\n");
          assertEquals(block.match(/^\w+ .*Permission denied/gm)?.length, 1, stdout);
        }
      } finally {
        await Deno.chmod(closed, 0o700);
      }
    });
  }

  it("clears away no container of another app, whatever its directories are called", async () => {
    await using app = await clonedApp(user);
    const victim = `victim-${crypto.randomUUID().slice(0, 8)}`;
    const labels = { "mlcli.app": victim, "mlcli.role": "serve", "mlcli.port": "1" };
    const names = [`mlcli-${victim}-serve-1`, `mlcli-${victim}-train-0badcafe`];
    const ids = await Promise.all(
      names.map((name, index) =>
        withEngine((engine) =>
          engine.createContainer(name, {
            Image: TEST_IMAGE,
            Cmd: ["serve"],
            // The second has the labels of a run of this app, as an image can give them.
            Labels: index === 0 ? labels : { "mlcli.app": app.name, "mlcli.role": "train" },
            HostConfig: { AutoRemove: false, Mounts: [] },
          })
        )
      ),
    );
    try {
      for (const container of names) {
        await leaveRun(app, { name: container, container, outcome: null });
      }
      await user.owns(app.path("local_test/jobs"));
      assertEquals((await user.run(["local", "train"], app.directory)).code, 0);
      const left = [...await containersOf(victim), ...await containersOf(app.name)];
      assertEquals(left.map(({ Id }) => Id).sort(), ids.sort());
    } finally {
      for (const id of ids) await withEngine((engine) => engine.removeContainer(id));
    }
  });
});
