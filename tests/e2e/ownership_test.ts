import { assertEquals, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../helpers/engine.ts";
import { type OtherUser, otherUser } from "../helpers/other_user.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Writes what root alone may remove: a directory that nobody else may enter, and a link. */
const WRITE = `
    import os
    os.makedirs("/opt/ml/output/data/private", mode=0o700, exist_ok=True)
    open("/opt/ml/output/data/private/metrics.json", "w").close()
    open("/opt/ml/model/model.bin", "w").close()
    os.symlink("/etc/passwd", "/opt/ml/model/link")
`;

async function ownersBelow(path: string): Promise<Map<string, number | null>> {
  const owners = new Map<string, number | null>();
  for await (const entry of Deno.readDir(path)) {
    const inner = `${path}/${entry.name}`;
    owners.set(entry.name, (await Deno.lstat(inner)).uid);
    if (entry.isDirectory) {
      for (const [name, uid] of await ownersBelow(inner)) owners.set(`${entry.name}/${name}`, uid);
    }
  }
  return owners;
}

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

  for (
    const [title, end, code] of [
      ["after a success", "", 0],
      ["after a failure", "    raise SystemExit(3)", 3],
    ] as const
  ) {
    it(`${title} of local train`, async () => {
      await using app = await appOf(end);
      await user.owns(app.directory);
      const result = await user.run(["local", "train"], app.directory);
      assertEquals(result.code, code, result.stderr);
      const owners = await ownersBelow(app.testPath());
      assertEquals(owners.get("model/model.bin"), user.uid);
      assertEquals(owners.get("output/data/private/metrics.json"), user.uid);
      assertEquals([...owners].filter(([, uid]) => uid !== user.uid), []);
      assertEquals((await Deno.stat("/etc/passwd")).uid, 0, "a link's target is nobody's business");
      assertEquals(await containersOf(app.name), []);
    });
  }

  it("after an interrupted local train", async () => {
    await using app = await appOf(
      '    print("ready", flush=True)\n    import time; time.sleep(60)',
    );
    await user.owns(app.directory);
    const { code } = await user.interrupt(["local", "train"], app.directory, /ready\n/);
    assertEquals(code, 130);
    const owners = await ownersBelow(app.testPath());
    assertEquals([...owners].filter(([, uid]) => uid !== user.uid), []);
  });

  it("after local process", async () => {
    await using app = await appOf("");
    await user.owns(app.directory);
    const { code, stderr } = await user.run(["local", "process", "-f", "p.py"], app.directory);
    assertEquals(code, 5);
    assertStringIncludes(stderr, "error: Processing failed: exit status 5\n");
    assertEquals((await ownersBelow(app.testPath())).get("output/table.csv"), user.uid);
  });
});
