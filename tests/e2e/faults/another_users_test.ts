import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../../helpers/engine.ts";
import { type OtherUser, otherUser } from "../../helpers/other_user.ts";
import { afterAll, beforeAll, it, suite } from "../../helpers/suite.ts";

const REFUSED =
  /^error: (Cannot \w+ .+: Permission denied\nhint: Ask its owner for permission|Another user \(uid 0\) owns \S+\nhint: )/m;

async function listing(path: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    names.push(`${name} ${(await Deno.lstat(join(path, name))).mode}`);
    if (isDirectory) names.push(...await listing(join(path, name)));
  }
  return names.sort();
}

// Others are root's to make.
if (Deno.uid() === 0) {
  suite("an app of another user", () => {
    let user: OtherUser;
    let app: TestApp;
    let before: readonly string[];

    beforeAll(async () => {
      await buildTestImage();
      user = await otherUser();
      app = await completeApp({ parent: user.home, configuration: { image_name: TEST_IMAGE } });
      await Deno.chmod(app.directory, 0o755);
      before = await listing(app.directory);
    });
    afterAll(async () => {
      await app[Symbol.asyncDispose]();
      await user[Symbol.asyncDispose]();
    });

    const commands = [
      ["local", "train"],
      ["local", "process", "--file", "p.py"],
      ["init", "NAME"],
    ];
    for (const args of commands) {
      it(`mlcli ${args.join(" ")} says whose it is, and leaves it as it was`, async () => {
        const line = args.map((word) => word.replace("NAME", app.name));
        const { code, stdout, stderr } = await user.run(line, app.directory);
        assertEquals({ code, stdout }, { code: 1, stdout: "" }, stderr);
        assertMatch(stderr, REFUSED);
        assert(!stderr.includes(`${app.directory}/`), stderr);
        assertEquals(await listing(app.directory), before);
        assertEquals(await containersOf(app.name), []);
      });
    }

    it("directories that are closed to the caller are named", async () => {
      const closed = [
        ["local_test/test_dir/input/data/training", "local train"],
        ["local_test/test_dir/model", "local deploy --port 0"],
        ["training", "local train"],
        ["local_test/test_dir/input/config", "local train"],
      ] as const;
      for (const [path, command] of closed) {
        await user.owns(app.directory);
        const folder = app.path(path);
        await Deno.mkdir(folder, { recursive: true });
        await Deno.chown(folder, 0, 0);
        await Deno.chmod(folder, 0o700);
        const { code, stderr } = await user.run(command.split(" "), app.directory);
        assertEquals(code, 1, stderr);
        assertMatch(
          stderr,
          /Permission denied\nhint: Ask its owner for permission/,
          path,
        );
        assert(stderr.includes(`${app.name}/mlcli_base/${path}`), stderr);
        assert(!stderr.includes(`${app.directory}/`), stderr);
        await Deno.chmod(folder, 0o755);
      }
    });
  });
}
