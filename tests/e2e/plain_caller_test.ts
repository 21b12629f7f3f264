import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { baseImage, removeImage } from "../helpers/engine.ts";
import { foundIn } from "../helpers/found_in_image.ts";
import { type OtherUser, otherUser } from "../helpers/other_user.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** What doctor says of who is who, on the engines of `deno task test:engine`. */
const USERS: Readonly<Record<string, RegExp>> = {
  userns: /^ok {7}The engine remaps user IDs /m,
  rootless: /^ok {7}The engine is rootless: root in containers is your user$/m,
  "rootless-podman": /^ok {7}The engine is rootless: root in containers is your user$/m,
};
const AS_MOST = /^ok {7}The engine runs as root; /m;

/** As with umask 077. */
async function closeToOthers(path: string): Promise<void> {
  const { isDirectory, mode } = await Deno.lstat(path);
  await Deno.chmod(path, mode! & 0o700);
  if (!isDirectory) return;
  for await (const { name } of Deno.readDir(path)) await closeToOthers(join(path, name));
}

async function notOf(uid: number, path: string): Promise<readonly string[]> {
  const info = await Deno.lstat(path);
  const own = info.uid === uid ? [] : [path];
  if (!info.isDirectory) return own;
  const inner: string[] = [];
  for await (const { name } of Deno.readDir(path)) {
    inner.push(...await notOf(uid, join(path, name)));
  }
  return [...own, ...inner];
}

suite("a caller who is not root, and whose files are for nobody else", () => {
  const app = `test-${crypto.randomUUID().slice(0, 8)}`;
  let user: OtherUser;
  let cwd: string;

  beforeAll(async () => {
    user = await otherUser();
    cwd = join(user.home, "work");
    await Deno.mkdir(cwd);
    await user.owns(cwd);
  });
  afterAll(async () => {
    if (user === undefined) return;
    await user.run(["local", "stop", "--all"], cwd).catch(() => {});
    await removeImage(`${app}:latest`);
    await user[Symbol.asyncDispose]();
  });

  async function mlcli(...args: readonly string[]): Promise<ProgramResult> {
    const result = await user.run(args, cwd);
    assertEquals(result.code, 0, `mlcli ${args.join(" ")}: ${result.stderr}`);
    return result;
  }

  it("builds, trains, processes, serves and asks, and owns what comes of it", async () => {
    await mlcli("init", app, "--base-image", baseImage());
    await closeToOthers(cwd);
    await mlcli("build");
    // As an archive names it: on engines with user namespaces, a file may be there and not be sent.
    const file = "opt/program/training/training.py\0";
    assertEquals(await foundIn(`${app}:latest`, [file]), [file]);
    await mlcli("local", "train");
    await mlcli("local", "process", "-f", "processing.py");
    const shell = ["local", "process", "--command", "sh", "--command=-c"];
    const words = "cd /opt/ml/processing/output/made; mkdir d; touch d/a; chmod 6755 d d/a";
    await mlcli(...shell, "-o", "made=made", "--", words);
    for (const path of ["made/d", "made/d/a"]) {
      assertEquals((await Deno.lstat(join(cwd, path))).mode! & 0o7777, 0o755);
    }
    await Deno.chmod(join(cwd, "made/d"), 0o500);
    const closed = await user.run([...shell, "-o", "a=made/d/x", "--", "true"], cwd);
    // So that a caller who is not root can remove it.
    await Deno.chmod(join(cwd, "made/d"), 0o755);
    assertMatch(closed.stderr, /^error: The parent of this directory is not writable: made\/d\/x/m);
    const { stdout } = await mlcli("local", "shell", "--", "cat", "/opt/ml/code/training.py");
    assertMatch(stdout, /^def train\(/m);
    const address = (await mlcli("local", "deploy", "--port", "0")).stdout.trim();
    const { port } = new URL(address);
    try {
      assertMatch((await mlcli("local", "status")).stdout, new RegExp(`^${app} .* ${port} `, "m"));
      await Deno.writeTextFile(join(cwd, "rows.csv"), "72,3,15\n");
      assertMatch(
        (await mlcli("local", "invoke", "--port", port, join(cwd, "rows.csv"))).stdout,
        /\d/,
      );
      await mlcli("local", "logs", "--port", port);
    } finally {
      await mlcli("local", "stop", "--port", port);
    }
    await Deno.remove(join(cwd, "rows.csv"));
    assertEquals(await notOf(user.uid, cwd), []);
  });

  it("hears from doctor what is special about the engine", async () => {
    const { stdout } = await user.run(["doctor"], cwd);
    assertMatch(stdout, USERS[Deno.env.get("MLCLI_TEST_ENGINE") ?? ""] ?? AS_MOST);
  });
});
