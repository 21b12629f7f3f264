import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import {
  archiveOf,
  codeIn,
  installsPackages,
  requireEntryPoint,
} from "../../../runtime/source/source.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";
import { entriesOf, gunzip } from "../../helpers/tar.ts";

const sourceAt = (path: string, shown = "src") => ({ path, shown });

async function contentOf(path: string): Promise<Readonly<Record<string, string>>> {
  const archive = await archiveOf(await codeIn([{ source: sourceAt(path) }]));
  const entries = await entriesOf(ReadableStream.from([await gunzip(archive)]));
  return Object.fromEntries([...entries].map(([name, { text }]) => [name, text]));
}

suite("code that is sent", () => {
  it("is all files of the directory, but caches, an app's runs and what may be a secret", async () => {
    await using directory = await makeDirectory({
      "train.py": "1",
      "lib/util.py": "2",
      "lib/__pycache__/util.pyc": "",
      ".git/config": "",
      ".env": "SECRET=1",
      "keys/id_rsa": "",
      "keys/server.pem": "-----BEGIN PRIVATE KEY-----",
      "shop/mlcli_base/local_test/test_dir/input/data/training/a.csv": "",
      "local_test/a.py": "3",
      ".venv/bin/python": "",
    });
    assertEquals(await contentOf(directory.path), {
      "lib/util.py": "2",
      "local_test/a.py": "3",
      "train.py": "1",
    });
    const { leftOut } = await codeIn([{ source: sourceAt(directory.path) }]);
    assertEquals(leftOut, [".env", "keys/id_rsa", "keys/server.pem"]);
  });

  it("follows links to files of the repository, and none that lead out or to a secret", async () => {
    await using outside = await makeDirectory({ "secret.txt": "secret" });
    await using repository = await makeDirectory({
      ".git/HEAD": "ref: refs/heads/main\n",
      ".env": "SECRET=1",
      "common/util.py": "shared",
      "src/train.py": "",
    });
    const link = (to: string, name: string) => Deno.symlink(to, join(repository.path, "src", name));
    await link("../common/util.py", "util.py");
    await link(join(outside.path, "secret.txt"), "out.txt");
    await link("../.env", "settings.txt");
    await link("../nowhere", "nowhere.py");
    await link("../src", "around");
    const source = join(repository.path, "src");
    assertEquals(await contentOf(source), { "train.py": "", "util.py": "shared" });
    const { leftOut } = await codeIn([{ source: sourceAt(source) }]);
    assertEquals(leftOut, ["around", "nowhere.py", "out.txt", "settings.txt"]);
  });

  it("has a hash of names, modes and bytes, and of nothing else", async () => {
    await using one = await makeDirectory({ "a.py": "1", "b.py": "2" });
    await using other = await makeDirectory({ "b.py": "2", ".env": "x", "a.py": "1" });
    const hash = async ({ path }: { path: string }) =>
      (await codeIn([{ source: sourceAt(path) }])).hash;
    const first = await hash(one);
    assertMatch(first, /^[\da-f]{32}$/);
    assertEquals(await hash(other), first);
    const bytes = (path: string) => codeIn([{ source: sourceAt(path) }]).then(archiveOf);
    await Deno.utime(join(other.path, "a.py"), 0, 0);
    assertEquals(await bytes(other.path), await bytes(one.path));
    await Deno.chmod(join(one.path, "a.py"), 0o755);
    const program = await hash(one);
    assertEquals(program === first, false);
    await one.write({ "a.py": "3" });
    assertEquals([first, program].includes(await hash(one)), false);
  });

  it("is refused where it is too much", async () => {
    await using directory = await makeDirectory({ "data.bin": "" });
    await Deno.truncate(join(directory.path, "data.bin"), 256 * 1024 ** 2 + 1);
    await assertRejects(
      () => codeIn([{ source: sourceAt(directory.path) }]),
      Error,
      "src holds more than 20000 files, or 256 MB: too much for code",
    );
  });

  it("has to hold its entry point: a file, or a module of a package", async () => {
    await using directory = await makeDirectory({ "train.py": "", ".env.py": "" });
    const source = sourceAt(directory.path);
    const check = async (entryPoint: string) =>
      requireEntryPoint(await codeIn([{ source }]), source, entryPoint);
    await check("train.py");
    for (const wrong of ["trian.py", ".env.py", "shop.train", "run.sh"]) {
      await assertRejects(() => check(wrong), Error, `Entry point not found: src/${wrong}`);
    }
    assertEquals(installsPackages(await codeIn([{ source }])), false);
    await directory.write({ "setup.py": "" });
    await check("shop.train");
    await assertRejects(() => check("run.sh"), Error, "Entry point not found: src/run.sh");
    assertEquals(installsPackages(await codeIn([{ source }])), true);
  });
});
