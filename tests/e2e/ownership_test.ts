import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { ownersBelow } from "../helpers/clone.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../helpers/engine.ts";
import { type OtherUser, otherUser } from "../helpers/other_user.ts";
import { lastRun } from "../helpers/runs.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Somebody who is neither root nor the caller. */
const STRANGER = 54399;

/** Writes what root alone may remove: a directory that nobody else may enter, and a link. */
const WRITE = `
    import os
    os.makedirs("/opt/ml/output/data/private", mode=0o700, exist_ok=True)
    open("/opt/ml/output/data/private/metrics.json", "w").close()
    open("/opt/ml/model/model.bin", "w").close()
    os.symlink("/etc/passwd", "/opt/ml/output/data/link")
`;

suite("what containers wrote belongs to the caller", () => {
  let user: OtherUser;

  beforeAll(async () => {
    await buildTestImage();
    user = await otherUser();
  });
  afterAll(async () => await user?.[Symbol.asyncDispose]());

  function appOf(end: string): Promise<TestApp> {
    return makeApp({
      configuration: { image_name: TEST_IMAGE },
      parent: user.home,
      files: {
        "training/training.py": `def train(data, model):${WRITE}${end}\n`,
        "processing/p.py":
          'open("/opt/ml/processing/output/table.csv", "w").close()\nraise SystemExit(5)\n',
        [TRAINING_DATA]: "1,2\n",
      },
    });
  }

  it("after local shell", async () => {
    await using app = await appOf("");
    await user.owns(app.directory);
    const made = ["--", "mkdir", "-m", "700", "/opt/ml/output/data/private"];
    assertEquals(await user.run(["local", "shell", ...made], app.directory), {
      code: 0,
      stdout: "",
      stderr: "",
    });
    const owners = await ownersBelow(app.testPath("output"));
    assertEquals([...owners.keys()].sort(), ["", "data", "data/private"]);
    assertEquals([...owners].filter(([, { uid }]) => uid !== user.uid), []);
  });

  for (
    const [title, end, code, model] of [
      ["after a success", "", 0, "model"],
      ["after a failure", "    raise SystemExit(3)", 3, undefined],
    ] as const
  ) {
    it(`${title} of local train`, async () => {
      await using app = await appOf(end);
      await user.owns(app.directory);
      const result = await user.run(["local", "train"], app.directory);
      assertEquals(result.code, code, result.stderr);
      const owners = await ownersBelow(app.testPath());
      const made = model === undefined ? await lastRun(app, "model") : app.testPath(model);
      assertEquals((await Deno.stat(`${made}/model.bin`)).uid, user.uid);
      assertEquals(owners.get("output/data/private/metrics.json")?.uid, user.uid);
      assertEquals(owners.get("output/data/link")?.uid, user.uid);
      assertEquals([...owners].filter(([, { uid }]) => uid !== user.uid), []);
      assertEquals((await Deno.stat("/etc/passwd")).uid, 0, "a link's target is nobody's business");
      assertEquals(await containersOf(app.name), []);
    });
  }

  it("after a local train that takes its directories from everybody", async () => {
    await using app = await appOf(`
    os.makedirs("/opt/ml/output/data/deep/down")
    open("/opt/ml/output/data/deep/down/x", "w").close()
    for path in ("data/deep/down", "data/deep", "data", "."): os.chmod("/opt/ml/output/" + path, 0)
    os.chmod("/opt/ml/model", 0)`);
    await user.owns(app.directory);
    const { code, stderr } = await user.run(["local", "train"], app.directory);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    const owners = await ownersBelow(app.testPath());
    assertEquals(owners.get("model/model.bin")?.uid, user.uid);
    assertEquals(owners.get("output/data/deep/down/x")?.uid, user.uid);
    assertEquals([...owners].filter(([, { uid }]) => uid !== user.uid), []);
    // And may be looked at and removed by them.
    for (const path of ["model", "output", "output/data", "output/data/deep"]) {
      assertEquals([path, (await Deno.lstat(app.testPath(path))).mode! & 0o700], [path, 0o700]);
    }
    assertEquals(await containersOf(app.name), []);
  });

  it("after an interrupted local train", async () => {
    await using app = await appOf(
      '    print("ready", flush=True)\n    import time; time.sleep(60)',
    );
    await user.owns(app.directory);
    const { code } = await user.interrupt(["local", "train"], app.directory, /ready\n/);
    assertEquals(code, 130);
    const owners = await ownersBelow(app.testPath());
    assertEquals([...owners].filter(([, { uid }]) => uid !== user.uid), []);
  });

  it("after local process", async () => {
    await using app = await appOf("");
    await user.owns(app.directory);
    const { code, stderr } = await user.run(["local", "process", "-f", "p.py"], app.directory);
    assertEquals(code, 5);
    assertStringIncludes(stderr, "error: Processing failed: exit code 5\n");
    assertEquals((await ownersBelow(app.testPath())).get("output/table.csv")?.uid, user.uid);
  });

  const give = (path: string, uid: number): Promise<void> => Deno.chown(path, uid, uid);

  // Only root can lay something of another user's into the caller's directories.
  if (Deno.uid() === 0) {
    it("but for what was another user's before, wherever the run puts it", async () => {
      await using app = await appOf(`
    os.rename("/opt/ml/output/data/moved", "/opt/ml/output/data/taken")
    os.link("/opt/ml/output/data/linked", "/opt/ml/output/data/second")
    os.makedirs("/opt/ml/output/data/closed", mode=0o700)
    os.rename("/opt/ml/output/data/hidden", "/opt/ml/output/data/closed/hidden")
    open("/opt/ml/output/data/closed/new", "w").close()
    open("/opt/ml/output/data/theirs/new", "w").close()
    open("/opt/ml/output/data/written", "a").write("more")
    os.makedirs("/opt/ml/output/data/deep/closed", mode=0o700)`);
      await user.owns(app.directory);
      await Deno.mkdir(app.testPath("output/data/theirs"), { recursive: true });
      for (const name of ["kept", "moved", "linked", "hidden", "written"]) {
        await Deno.writeTextFile(app.testPath("output/data", name), "", { mode: 0o600 });
        await give(app.testPath("output/data", name), STRANGER);
      }
      await give(app.testPath("output/data/theirs"), 0);
      for (const path of ["output", "output/data"]) await give(app.testPath(path), user.uid);
      const { code, stderr } = await user.run(["local", "train"], app.directory);
      assertEquals(code, 0, stderr);
      assertMatch(
        stderr,
        /^warning: The run changed files that another user owns: .*\nhint: To take ownership: .*chown/,
      );
      const owners = await ownersBelow(app.testPath("output/data"));
      const foreign = [...owners].filter(([, { uid }]) => uid !== user.uid);
      assertEquals(Object.fromEntries(foreign.map(([path, { uid }]) => [path, uid])), {
        kept: STRANGER,
        taken: STRANGER,
        linked: STRANGER,
        second: STRANGER,
        written: STRANGER,
        theirs: 0,
        "closed/hidden": STRANGER,
      });
      assertEquals(owners.get("closed/new")?.uid, user.uid);
      assertEquals(owners.get("theirs/new")?.uid, user.uid);
      assertEquals(owners.get("deep/closed")?.uid, user.uid);
      assertEquals(await containersOf(app.name), []);
    });

    it("and gives nobody rights by setuid", async () => {
      await using app = await appOf(`
    import shutil
    for name, uid in (("roots", 0), ("yours", ${user.uid})):
        path = "/opt/ml/output/data/" + name
        shutil.copy("/bin/sh", path)
        os.chown(path, uid, uid)
        os.chmod(path, 0o6755)`);
      await user.owns(app.directory);
      await Deno.mkdir(app.testPath("output/data"), { recursive: true });
      await Deno.writeTextFile(app.testPath("output/data/mine"), "");
      for (const path of ["output", "output/data", "output/data/mine"]) {
        await give(app.testPath(path), user.uid);
      }
      await Deno.chmod(app.testPath("output/data/mine"), 0o4755);
      const { code, stderr } = await user.run(["local", "train"], app.directory);
      assertEquals(code, 0, stderr);
      assertMatch(
        stderr,
        /^warning: Removed the setuid bit from files that the run created: .*\/roots, \S+\/yours\nhint:/,
      );
      for (const [name, mode] of [["roots", 0o755], ["yours", 0o755], ["mine", 0o4755]] as const) {
        const info = await Deno.lstat(app.testPath("output/data", name));
        assertEquals([name, (info.mode ?? 0) & 0o7777, info.uid], [name, mode, user.uid]);
      }
    });
  }
});
