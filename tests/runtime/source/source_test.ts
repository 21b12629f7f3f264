import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../runtime/errors.ts";
import {
  archiveOf,
  codeIn,
  installsPackages,
  isNoCode,
  packCode,
  requireEntryPoint,
} from "../../../runtime/source/source.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { it, suite } from "../../helpers/suite.ts";
import { entriesOf, gunzip } from "../../helpers/tar.ts";

const sourceAt = (path: string, boundary = path) => ({ path, shown: "src", boundary });

async function contentOf(
  path: string,
  boundary?: string,
): Promise<Readonly<Record<string, string>>> {
  const archive = await archiveOf(await codeIn([{ source: sourceAt(path, boundary) }]));
  const entries = await entriesOf(ReadableStream.from([await gunzip(archive)]));
  return Object.fromEntries([...entries].map(([name, { text }]) => [name, text]));
}

suite("isNoCode", () => {
  const rows: readonly (readonly [path: string, directory: string, expected: boolean])[] = [
    ["/a/train.py", "/a", false],
    ["/a/lib/__pycache__", "/a", true],
    ["/a/lib/.ipynb_checkpoints", "/a", true],
    ["/a/lib/._util.py", "/a", true],
    ["/a/__MACOSX", "/a", true],
    ["/a/shop/mlcli_base/local_test/test_dir/a.csv", "/a", true],
    ["/a/shop/mlcli_base/local_test", "/a/shop/mlcli_base", true],
    ["/a/local_test/a.py", "/a", false],
    // A run's own copy lies there.
    [
      "/a/shop/mlcli_base/local_test/jobs/1/code/a.py",
      "/a/shop/mlcli_base/local_test/jobs/1",
      false,
    ],
  ];
  for (const [path, directory, expected] of rows) {
    it(`${path} of ${directory}: ${expected}`, () => {
      assertEquals(isNoCode(path, directory), expected);
    });
  }
});

suite("the requirements of code that is sent", () => {
  const pack = (path: string) =>
    packCode([{ source: sourceAt(path) }], undefined, fakeContext().messages);

  it("may refer to what is in the code, even to its own package", async () => {
    await using directory = await makeDirectory({
      "requirements.txt": ".\n-r deps/a.txt\n./missing.whl\n--find-links wheels\n",
      "deps/a.txt": "-c ../c.txt\n",
      "c.txt": "",
      "wheels/x.whl": "",
    });
    const { files } = await pack(directory.path);
    assertEquals(files.map(({ path }) => path), [
      ...["c.txt", "deps/a.txt", "requirements.txt", "wheels/x.whl"],
    ]);
  });

  // https://github.com/aws/sagemaker-python-sdk/pull/80
  for (
    const [lines, message] of [
      [
        "six\n-r ../requirements_file.txt",
        "src/requirements.txt, line 2: ../requirements_file.txt",
      ],
      ["-r deps/a.txt", "src/deps/a.txt, line 1: ../lib"],
    ] as const
  ) {
    it(`must not lead out of it: ${JSON.stringify(lines)}`, async () => {
      await using directory = await makeDirectory({
        "requirements.txt": lines,
        "deps/a.txt": "-e ../lib\n",
      });
      const error = await assertRejects(() => pack(directory.path), MlcliError);
      assertEquals(error.message, `${message} is outside the code's directory`);
      assertEquals(error.hint, "Copy it into the code's directory and use the path of the copy");
    });
  }
});

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

  it("follows links within the repository, but not to a secret or in a circle", async () => {
    await using repository = await makeDirectory({
      ".env": "SECRET=1",
      "keys/server.key": "-----BEGIN PRIVATE KEY-----",
      "lines/text": "-----BEGIN PRIVATE KEY-----",
      "round/a.py": "a",
      "common/util.py": "shared",
      "common/__pycache__/util.pyc": "",
      "shop/mlcli_base/local_test/test_dir/output/a.csv": "1",
      "src/train.py": "",
    });
    const link = (to: string, name: string) => Deno.symlink(to, join(repository.path, "src", name));
    await link("../common/util.py", "util.py");
    await link("../common", "lib");
    await link("../.env", "settings.txt");
    await link("../keys/server.key", "data.txt");
    await link("../shop/mlcli_base", "base");
    await link("../shop/mlcli_base/local_test", "tests");
    await link("../src", "around");
    await link("../lines/text", "tls.pem");
    await link("../round", "round");
    await Deno.symlink("../src", join(repository.path, "round/back"));
    const source = join(repository.path, "src");
    const boundary = await Deno.realPath(repository.path);
    assertEquals(await contentOf(source, boundary), {
      "lib/util.py": "shared",
      "round/a.py": "a",
      "train.py": "",
      "util.py": "shared",
    });
    const { leftOut } = await codeIn([{ source: sourceAt(source, boundary) }]);
    assertEquals(leftOut, [
      ...["around", "data.txt", "round/back", "settings.txt", "tests"],
      "tls.pem",
    ]);
  });

  for (const [to, words] of [["/etc/hostname", "points outside"], ["../gone", "does not exist"]]) {
    it(`fails for a link to ${to}`, async () => {
      await using directory = await makeDirectory({ "src/a.py": "", "src/.#b.py": "" });
      const source = join(directory.path, "src");
      await Deno.symlink(to!, join(source, "lib.py"));
      await assertRejects(
        () => codeIn([{ source: sourceAt(source, directory.path) }]),
        MlcliError,
        words,
      );
    });
  }

  it("is refused if a link out of the repository has replaced its directory", async () => {
    await using repository = await makeDirectory();
    await using elsewhere = await makeDirectory({ "a.py": "1" });
    const boundary = await Deno.realPath(repository.path);
    await Deno.symlink(elsewhere.path, join(boundary, "src"));
    const code = codeIn([{ source: sourceAt(join(boundary, "src"), boundary) }]);
    await assertRejects(() => code, MlcliError, "src is a link to ");
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

  it("takes a directory for none of the keys by its name, and waits at no pipe", async () => {
    await using directory = await makeDirectory({ "api.key/a.py": "1" });
    const pipe = join(directory.path, "pipe.key");
    assertEquals((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success, true);
    assertEquals(await contentOf(directory.path), { "api.key/a.py": "1" });
  });

  it("is refused where it is too much", async () => {
    await using directory = await makeDirectory({ "data.bin": "" });
    await Deno.truncate(join(directory.path, "data.bin"), 256 * 1024 ** 2 + 1);
    await assertRejects(
      () => codeIn([{ source: sourceAt(directory.path) }]),
      Error,
      "src contains more than 20000 files or 256 MB, too much for code",
    );
  });

  it("has to hold its entry point: a file, or a module of a package", async () => {
    await using directory = await makeDirectory({ "train.py": "", ".env.py": "" });
    const source = sourceAt(directory.path);
    const check = async (entryPoint: string) =>
      requireEntryPoint(await codeIn([{ source }]), source, entryPoint);
    await check("train.py");
    for (const wrong of ["trian.py", ".env.py", "shop.train", "run.sh", "shop/train.py"]) {
      await assertRejects(() => check(wrong), Error, `Entry point not found: src/${wrong}`);
    }
    assertEquals(installsPackages(await codeIn([{ source }])), false);
    await directory.write({ "setup.py": "" });
    await check("shop.train");
    for (const wrong of ["run.sh", "shop/train.py"]) {
      await assertRejects(() => check(wrong), Error, `Entry point not found: src/${wrong}`);
    }
    assertEquals(installsPackages(await codeIn([{ source }])), true);
  });
});
