import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import type { TestApp } from "../helpers/app.ts";
import { clonedApp, ownersBelow } from "../helpers/clone.ts";
import { LISTS_ALL_NAMES } from "../helpers/directory.ts";
import {
  buildImage,
  buildTestImage,
  containersOf,
  removeImage,
  TEST_IMAGE,
} from "../helpers/engine.ts";
import { type OtherUser, otherUser } from "../helpers/other_user.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Somebody who is neither root nor the caller. */
const STRANGER = 54399;

async function output(command: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

// Only root can lay another user's files into the caller's directories.
if (Deno.uid() === 0) {
  suite("code that means harm, run as root in its container", () => {
    let user: OtherUser;
    let badImage = "";
    let idleImage = "";

    beforeAll(async () => {
      await buildTestImage();
      user = await otherUser();
      badImage = await imageWith(
        "chown",
        "n=$(cat /mlcli/*/x | head -n 1)\nrm -f /mlcli/*/x\necho $((n + 1)) > /mlcli/$((n % 2))/x\n",
      );
      idleImage = await imageWith("chmod", "");
    });
    afterAll(async () => {
      await user?.[Symbol.asyncDispose]();
      for (const image of [badImage, idleImage]) await removeImage(`${image}:latest`);
    });

    /** An image with a program of its own in the place of `chown` or `chmod`. */
    async function imageWith(program: string, script: string): Promise<string> {
      const name = `mlcli-test-${program}-${crypto.randomUUID().slice(0, 8)}`;
      await buildImage(`${name}:latest`, {
        Dockerfile: `FROM ${TEST_IMAGE}\nCOPY ${program} /bad/\nRUN chmod 755 /bad/${program}\n` +
          "ENV PATH=/bad:$PATH\n",
        [program]: "#!/bin/sh\n" + script,
      });
      return name;
    }

    function training(body: string, image?: string): Promise<TestApp> {
      // What was there before the run can only lie in `output`: a model begins empty.
      const code = "import os, shutil, struct\nDATA = '/opt/ml/output/data'\n" +
        `def train(data, model):\n${body}`;
      const files = {
        "training/training.py": code,
        "local_test/test_dir/output/data/.gitkeep": "",
      };
      return clonedApp(user, { files, image });
    }

    async function foreignFile(path: string, uid = STRANGER): Promise<void> {
      await Deno.writeTextFile(path, "theirs", { mode: 0o600 });
      await Deno.chown(path, uid, uid);
    }

    /** Runs `local train`, and removes the progress line that a slow change of owners prints. */
    const train = async (app: TestApp): Promise<ProgramResult> => {
      const result = await user.run(["local", "train"], app.directory);
      return {
        ...result,
        stderr: result.stderr.replace(/^Changing the owner of \d+ files? to you\n/, ""),
      };
    };

    it("gives nothing away under a name that is not UTF-8", async () => {
      await using app = await training(`
    os.rename(b"/opt/ml/output/data/theirs", b"/opt/ml/output/data/\\xff")
    open(DATA + "/new", "w").close()
    open(model + "/m", "w").close()
`);
      await foreignFile(app.testPath("output/data/theirs"));
      const { ino } = await Deno.lstat(app.testPath("output/data/theirs"));
      assertEquals((await train(app)).code, 0);
      const data = app.testPath("output/data");
      assertEquals(await output("find", data, "-inum", `${ino}`, "-printf", "%U"), `${STRANGER}`);
      assertEquals((await Deno.lstat(join(data, "new"))).uid, user.uid);
    });

    it("gives nothing away of a directory that was closed to the caller", async () => {
      await using app = await training(`
    os.chmod(DATA + "/private", 0o755)
    os.rename(DATA + "/private/two", DATA + "/two")
    open(DATA + "/new", "w").close()
    open(model + "/m", "w").close()
`);
      await Deno.mkdir(app.testPath("output/data/private"));
      for (const name of ["one", "two"]) {
        await foreignFile(app.testPath("output/data/private", name));
      }
      await Deno.chown(app.testPath("output/data/private"), STRANGER, STRANGER);
      await Deno.chmod(app.testPath("output/data/private"), 0o700);
      assertEquals((await train(app)).code, 0);
      const owners = await ownersBelow(app.testPath("output/data"));
      assertEquals(
        ["private", "private/one", "two", "new"].map((path) => owners.get(path)?.uid),
        [STRANGER, STRANGER, STRANGER, user.uid],
      );
    });

    it("makes no program that has capabilities of its own", async () => {
      await using app = await training(`
    open(model + "/sh", "w").close()
    try: os.setxattr(model + "/sh", "security.capability", struct.pack("<IIIII", 0x02000001, 0xc0, 0, 0, 0))
    except PermissionError: print("refused")
`);
      assertEquals((await train(app)).stdout, "refused\n");
    });

    it("hides no program of root's in a directory that it closed", async () => {
      await using app = await training(`
    st = os.stat(model); x = model + "/x"; os.mkdir(x)
    shutil.copy("/bin/sh", x + "/sh"); os.chmod(x + "/sh", 0o6755)
    os.chmod(x, 0); os.chown(x, st.st_uid, st.st_gid)
`);
      const { code, stderr } = await train(app);
      assertEquals(code, 0);
      assertMatch(
        stderr,
        /^warning: Removed the setuid bit from files that the run created: \S+\/test_dir\/model\/x\/sh\n/,
      );
      const owners = await ownersBelow(app.testPath("model/x"));
      assertEquals(owners.get("sh"), { uid: user.uid, mode: 0o755 });
    });

    it("makes no setuid program of a file that was root's before", async () => {
      await using app = await training(`
    p = DATA + "/theirs"; st = os.stat(p)
    open(p, "wb").write(open("/bin/sh", "rb").read())
    os.chmod(p, 0o6755); os.utime(p, ns=(st.st_atime_ns, st.st_mtime_ns))
    open(model + "/m", "w").close()
`);
      await foreignFile(app.testPath("output/data/theirs"), 0);
      const { stderr } = await train(app);
      assertMatch(
        stderr,
        /^warning: Removed the setuid bit from files that the run created: \S+\/theirs\n/,
      );
      const owners = await ownersBelow(app.testPath("output/data"));
      assertEquals(owners.get("theirs"), { uid: 0, mode: 0o755 });
    });

    it("leaves nothing of root's at the end of very long paths", async () => {
      await using app = await training(`
    os.chdir(model)
    for i in range(30):
        os.mkdir("d" * 200); os.chdir("d" * 200)
`);
      try {
        const { code, stderr } = await train(app);
        assertEquals({ code, stderr }, { code: 0, stderr: "" });
        assertEquals(await output("find", app.testPath(), "-uid", "0"), "");
        // Nor is the app of no use afterwards.
        await output("rm", "-rf", app.testPath("model"));
        assertEquals((await train(app)).code, 0);
      } finally {
        await output("rm", "-rf", app.testPath("model"));
      }
    });

    /** A program of root's for everybody; whose all else is, is seen at \`output\`. */
    const PROGRAM = `
    st = os.stat("/opt/ml/output")
    def plant(path):
        shutil.copy("/bin/sh", path); os.chmod(path, 0o4755)
    open(model + "/m", "w").close(); os.chown(model + "/m", st.st_uid, st.st_gid)
`;

    for (
      const [title, body] of [
        ["under a name that nobody can list", `    plant(b"/opt/ml/output/tool-\\xff")\n`],
        [
          "under such a name beside another that reads the same",
          `    plant(b"/opt/ml/output/tool-\\xff")
    decoy = b"/opt/ml/output/tool-\\xef\\xbf\\xbd"
    open(decoy, "w").close(); os.chown(decoy, st.st_uid, st.st_gid)
`,
        ],
        [
          "deeper than a path may be long",
          `    os.chdir("/opt/ml/output")
    for i in range(20):
        os.mkdir("d" * 250); os.chown("d" * 250, st.st_uid, st.st_gid); os.chdir("d" * 250)
    plant("sh")
`,
        ],
      ].filter(([, body]) => LISTS_ALL_NAMES || !body?.includes("xff"))
    ) {
      it(`gives no other user a program of root's ${title}`, async () => {
        await using app = await training(PROGRAM + body);
        try {
          const { code, stderr } = await train(app);
          assertEquals(code, 0);
          assertMatch(
            stderr,
            /^warning: Cannot check for setuid programs in \S+\/output\/\S+ /m,
          );
          const planted = await output("find", app.testPath("output"), "-perm", "-4000");
          assertEquals(planted.trim().split("\n").length, 1, "it is still there");
          const stranger = [`--reuid=${STRANGER}`, `--regid=${STRANGER}`, "--clear-groups", "--"];
          assertMatch(
            await output("setpriv", ...stranger, "ls", app.testPath("output")),
            /Permission denied/,
          );
        } finally {
          await output("rm", "-rf", app.testPath("output"));
        }
      });
    }

    for (const count of ["1", "2"]) {
      it(`leaves no program with setuid behind that root has run on ${count} of the hosts`, async () => {
        await using app = await training(PROGRAM + `    plant("/opt/ml/output/sh")\n`);
        const { code, stderr } = await app.run(["local", "train", "--instance-count", count]);
        assertEquals([code, stderr.includes("/written/")], [0, false]);
        assertMatch(
          stderr,
          /(^|\n)warning: Removed the setuid bit from files that the run created: .*\/test_dir\/output\/sh\n/,
        );
        assertEquals((await ownersBelow(app.testPath("output"))).get("sh")?.mode, 0o755);
      });
    }

    it("has modes changed by a container alone, which its links lead nowhere", async () => {
      await using app = await training(
        `
    st = os.stat(model); x = model + "/x"; os.mkdir(x)
    open(x + "/y", "w").close(); os.chmod(x, 0); os.chown(x, st.st_uid, st.st_gid)
`,
        idleImage,
      );
      const { code, stderr } = await train(app);
      assertEquals(code, 0);
      assertMatch(stderr, /^warning: Cannot change the owner of \S+\/x: chown had no /);
      assertEquals((await Deno.lstat(app.testPath("model/x"))).mode! & 0o777, 0);
      await Deno.chmod(app.testPath("model/x"), 0o700);
    });

    it("ends, and says so, where the image's chown does something else", async () => {
      await using app = await training(`    open(model + "/x", "w").write("0")\n`, badImage);
      const { code, stderr } = await train(app);
      assertEquals(code, 0);
      assertMatch(
        stderr,
        /^warning: Cannot change the owner of \S+: chown had no effect\n/,
      );
      assertMatch(
        stderr,
        /\nhint: Take ownership, .*\(setuid\): sudo chown -hR \S+ \S+\/test_dir\/model\n/,
      );
      assertEquals(await containersOf(app.name), []);
    });
  });
}
