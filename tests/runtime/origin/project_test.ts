import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../runtime/errors.ts";
import { copiesOf, leftOutText, textIn } from "../../../runtime/origin/project.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const projectAt = (path: string) => ({ path, shown: "../old", boundary: path });

suite("a project of another tool", () => {
  it("has the text of its files, and none where there is no file, or a private key", async () => {
    await using directory = await makeDirectory({
      "a.txt": "1",
      "folder/": "",
      "server.key": "-----BEGIN PRIVATE KEY-----",
    });
    await Deno.symlink("server.key", join(directory.path, "lib.py"));
    const project = projectAt(directory.path);
    assertEquals(await textIn(project, "a.txt"), "1");
    assertEquals(await textIn(project, "b.txt"), undefined);
    assertEquals(await textIn(project, "folder"), undefined);
    assertEquals(await textIn(project, "server.key"), undefined);
    assertEquals(await textIn(project, "lib.py"), undefined);
  });

  it("gives no file that lies outside of it, is private, or too large", async () => {
    await using outside = await makeDirectory({ "secret.txt": "secret" });
    await using directory = await makeDirectory({ ".env": "S=1", "large": "x".repeat(1_100_000) });
    await Deno.symlink(join(outside.path, "secret.txt"), join(directory.path, "out"));
    await Deno.symlink(".env", join(directory.path, "private"));
    const project = projectAt(directory.path);
    const rows = [
      ["out", "out points outside"],
      ["private", "private points to private data"],
      ["large", "Cannot read ../old/large: "],
      ["../a", 'Cannot use "../a": it is outside ../old, or named like a private file'],
      ["x/../../a", "it is outside ../old, or named like a private file"],
      ["/etc/hostname", "it is outside ../old, or named like a private file"],
      [".env", "it is outside ../old, or named like a private file"],
    ] as const;
    for (const [name, message] of rows) {
      await assertRejects(() => textIn(project, name), MlcliError, message);
    }
  });

  it("is copied without secrets, caches and links that lead out; a link within is its file", async () => {
    await using outside = await makeDirectory({ "data.csv": "secret" });
    await using directory = await makeDirectory({
      "model/a.bin": "1",
      "model/deep/b.bin": "2",
      "model/skipped.txt": "3",
      "model/.env": "S=1",
      "model/key.pem": "-----BEGIN PRIVATE KEY-----",
      "model/__pycache__/a.pyc": "",
      "b.txt": "4",
    });
    const model = join(directory.path, "model");
    await Deno.chmod(join(model, "a.bin"), 0o755);
    await Deno.symlink(join(outside.path, "data.csv"), join(model, "out.csv"));
    await Deno.symlink("../b.txt", join(model, "within.txt"));
    const skip = (path: string) => path === "skipped.txt";
    const copied = await copiesOf(projectAt(directory.path), "model", "shop/x", skip);
    const found: Record<string, string> = {};
    for (const { path, content } of copied.files) {
      const place = join(outside.path, "copy");
      await (content as (path: string) => Promise<void>)(place);
      const isProgram = ((await Deno.stat(place)).mode! & 0o111) === 0o111;
      found[path] = `${await Deno.readTextFile(place)}${isProgram ? " program" : ""}`;
      await Deno.remove(place);
    }
    assertEquals(found, {
      "shop/x/a.bin": "1 program",
      "shop/x/deep/b.bin": "2",
      "shop/x/within.txt": "4",
    });
    const leftOut = [".env", "key.pem", "out.csv"].map((name) => join("model", name));
    assertEquals(copied.leftOut, leftOut);
    assertEquals(leftOutText(copied.leftOut), [
      "Not copied, because they might contain secrets or are links that point outside the project: " +
      leftOut.join(", "),
    ]);
    assertEquals(leftOutText([]), []);
  });

  it("has no files to copy where the directory is not there, and none of another place", async () => {
    await using directory = await makeDirectory();
    const project = projectAt(directory.path);
    assertEquals(await copiesOf(project, "data", "x"), { files: [], leftOut: [] });
    await assertRejects(
      () => copiesOf(project, "..", "x"),
      MlcliError,
      "it is outside ../old, or named like a private file",
    );
  });

  it("is not copied where the directory itself is a link that leads out", async () => {
    await using outside = await makeDirectory({ "data.csv": "secret" });
    await using directory = await makeDirectory();
    await Deno.symlink(outside.path, join(directory.path, "data"));
    await assertRejects(() => copiesOf(projectAt(directory.path), "data", "x"), MlcliError);
  });
});
