import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { findApp } from "../../../runtime/app/app.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { harnessFiles, readHarnessFile } from "../../../runtime/app/harness_files.ts";
import { buildContext, type BuildInputs } from "../../helpers/build_context.ts";
import { LISTS_ALL_NAMES, makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { inOwnProcess } from "../../helpers/own_process.ts";
import { python } from "../../helpers/python.ts";
import { it, suite } from "../../helpers/suite.ts";
import { entriesOf, type Entry } from "../../helpers/tar.ts";

const MEGABYTE = 1024 ** 2;

/** The least that can be built. */
const APP = {
  "demo.json": "{}",
  "requirements.txt": "numpy\n",
  "demo/mlcli_base/Dockerfile": "FROM x\n",
  "demo/mlcli_base/training/training.py": "train\n",
  "demo/mlcli_base/prediction/serve": "serve\n",
  "demo/mlcli_base/processing/processing.py": "process\n",
};

async function contextOf(
  directory: TestDirectory,
  more?: BuildInputs,
): Promise<ReadableStream<Uint8Array>> {
  return await buildContext(await findApp(directory.path, "demo"), undefined, more);
}

async function unpack(
  directory: TestDirectory,
  more?: BuildInputs,
): Promise<ReadonlyMap<string, Entry>> {
  return await entriesOf(await contextOf(directory, more));
}

/** The paths of a context, those of the harness and of the network's settings apart. */
async function pathsOf(directory: TestDirectory): Promise<string[]> {
  return [...(await unpack(directory)).keys()].filter((path) => !/^\.mlcli(\/|-build$)/.test(path))
    .sort();
}

const PATHS = [
  "demo/mlcli_base",
  "demo/mlcli_base/Dockerfile",
  "demo/mlcli_base/common",
  "demo/mlcli_base/prediction",
  "demo/mlcli_base/prediction/serve",
  "demo/mlcli_base/processing",
  "demo/mlcli_base/processing/processing.py",
  "demo/mlcli_base/training",
  "demo/mlcli_base/training/training.py",
  "requirements.txt",
];

suite("buildContext: what goes in", () => {
  it("sends the app and the harness, and nothing else of the directory", async () => {
    await using directory = await makeDirectory({
      ...APP,
      "data/large.csv": "x",
      "other.txt": "x",
      "other/mlcli_base/Dockerfile": "x",
      "demo/mlcli_base/local_test/test_dir/model/model.json": "x",
      "demo/mlcli_base/local_test/test_dir/input/data/training/a.csv": "x",
      "demo/own/mlcli_base/local_test/note.txt": "not the app's test data",
    });
    const entries = await unpack(directory);
    assertEquals(
      [...entries.keys()].filter((path) => !/^\.mlcli(\/|-build$)/.test(path)).sort(),
      [
        ...PATHS,
        "demo/own",
        "demo/own/mlcli_base",
        "demo/own/mlcli_base/local_test",
        "demo/own/mlcli_base/local_test/note.txt",
      ].sort(),
    );
    assertEquals(entries.get("requirements.txt")?.text, "numpy\n");
    assertEquals(entries.get("demo/mlcli_base/prediction/serve")?.text, "serve\n");
    for (const { path, executable } of await harnessFiles()) {
      const entry = entries.get(`.mlcli/${path}`);
      assertEquals(entry?.text, new TextDecoder().decode(await readHarnessFile(path)), path);
      assertEquals(entry?.header.mode, executable ? 0o755 : 0o644, path);
    }
    for (const { header } of entries.values()) assertEquals([header.uid, header.gid], [0, 0]);
  });

  it("sends what the roles share, and an empty directory where they share nothing", async () => {
    const path = "demo/mlcli_base/common";
    for (const names of [[], [`${path}/features.py`]]) {
      await using directory = await makeDirectory({
        ...APP,
        ...Object.fromEntries(names.map((name) => [name, "x"])),
      });
      const entries = await unpack(directory);
      assertEquals(entries.get(path)?.header.type, "directory");
      assertEquals(
        [...entries.keys()].filter((name) => name.startsWith(`${path}/`)),
        names,
      );
    }
  });

  it("never sends test data, whatever .dockerignore says", async () => {
    await using directory = await makeDirectory({
      ...APP,
      ".dockerignore": "!**/local_test\n!demo/mlcli_base/local_test/a.csv\n",
      "demo/mlcli_base/local_test/a.csv": "x",
    });
    assertEquals(await pathsOf(directory), [".dockerignore", ...PATHS]);
  });

  it("sends what the build needs even where .dockerignore leaves it out", async () => {
    await using directory = await makeDirectory({ ...APP, ".dockerignore": "*\n" });
    assertEquals(await pathsOf(directory), [
      ".dockerignore",
      "demo/mlcli_base/Dockerfile",
      "demo/mlcli_base/common",
      "requirements.txt",
    ]);
  });

  it("honours .dockerignore, exceptions included", async () => {
    await using directory = await makeDirectory({
      ...APP,
      ".dockerignore": "# comment\r\n**/__pycache__\r\ndemo/data\r\n!demo/data/keep\r\n*.txt\r\n",
      "demo/mlcli_base/training/__pycache__/training.pyc": "x",
      "demo/data/drop/a.csv": "x",
      "demo/data/keep/b.csv": "x",
    });
    assertEquals(
      await pathsOf(directory),
      [".dockerignore", "demo/data/keep", "demo/data/keep/b.csv", ...PATHS].sort(),
    );
  });

  it("takes the requirements file from wherever it lies below, links followed", async () => {
    const places: readonly (readonly [requirements: string, link: boolean])[] = [
      ["deps/image.txt", false],
      ["demo/requirements.txt", false],
      ["demo/mlcli_base/local_test/r.txt", false],
      ["deps/link.txt", true],
    ];
    for (const [requirements, link] of places) {
      await using directory = await makeDirectory({
        ...APP,
        "demo.json": JSON.stringify({ requirements: `./${requirements}` }),
        "requirements.txt": "another\n",
        "deps/real.txt": "pandas\n",
        [link ? "deps/x" : requirements]: "pandas\n",
      });
      if (link) await Deno.symlink("real.txt", join(directory.path, requirements));
      const entries = await unpack(directory);
      const entry = entries.get(requirements);
      assertEquals([entry?.header.type, entry?.text], ["file", "pandas\n"], requirements);
      assertEquals(entries.has("requirements.txt"), false);
      assertEquals(entries.has("deps/real.txt"), false);
    }
  });

  it("has the code directories that version control lost", async () => {
    const { "demo/mlcli_base/processing/processing.py": _, ...app } = APP;
    await using directory = await makeDirectory(app);
    const entry = (await unpack(directory)).get("demo/mlcli_base/processing");
    assertEquals([entry?.header.type, entry?.header.mode], ["directory", 0o755]);
  });
});

suite("buildContext: files of every kind", () => {
  it("keeps names, long and in any script, modes, links and times", async () => {
    const long = `${"folder-of-some-length/".repeat(8)}${"n".repeat(120)}.txt`;
    const names = [long, "Größe 数据 🙂.txt", `${"ü".repeat(90)}.txt`, "a'b\"c$d\\e.txt", " x "];
    await using directory = await makeDirectory({
      ...APP,
      ...Object.fromEntries(names.map((name) => [`demo/${name}`, `content of ${name}`])),
      "demo/empty/": "",
      "demo/empty.txt": "",
      "demo/tool.sh": "#!/bin/sh\n",
      "demo/future.txt": "",
    });
    const path = (name: string): string => join(directory.path, "demo", name);
    await Deno.chmod(path("tool.sh"), 0o751);
    await Deno.utime(path("tool.sh"), 1_600_000_000, 1_600_000_000);
    await Deno.utime(path("future.txt"), 5e9, 5e9);
    await Deno.symlink("tool.sh", path("link"));
    await Deno.symlink("/nowhere/" + "x".repeat(150), path("far"));
    await Deno.symlink("empty", path("folder-link"));
    const entries = await unpack(directory);
    const get = (name: string): Entry | undefined => entries.get(`demo/${name}`);
    for (const name of names) assertEquals(get(name)?.text, `content of ${name}`);
    assertEquals(get("empty")?.header.type, "directory");
    assertEquals([get("empty.txt")?.header.size, get("empty.txt")?.text], [0, ""]);
    assertEquals(get("tool.sh")?.header.mode, 0o751);
    assertEquals(get("tool.sh")?.header.mtime.getTime(), 1_600_000_000_000);
    assertEquals(get("future.txt")?.header.mtime.getTime(), (2 ** 31 - 1) * 1000);
    assertEquals([get("link")?.header.type, get("link")?.header.linkname], ["symlink", "tool.sh"]);
    assertEquals(get("far")?.header.linkname, "/nowhere/" + "x".repeat(150));
    assertEquals(get("folder-link")?.header.type, "symlink");
  });

  // https://github.com/moby/moby/issues/39810
  it("has the content of links in the code, but never test data", async () => {
    await using directory = await makeDirectory({
      ...APP,
      "shared/lib/x.py": "shared",
      "demo/mlcli_base/training/t.py": "",
      "demo/mlcli_base/local_test/test_dir/input/data/training/a.csv": "1",
      ".dockerignore": "**/scratch\n",
    });
    const training = join(directory.path, "demo/mlcli_base/training");
    await Deno.symlink("../../../shared/lib", join(training, "lib"));
    await Deno.symlink(join(directory.path, "shared/lib/x.py"), join(training, "x.py"));
    await Deno.symlink("../local_test/test_dir/input/data/training", join(training, "data"));
    await Deno.symlink(".", join(training, "round"));
    await Deno.symlink("/nowhere", join(training, "scratch"));
    const entries = await unpack(directory);
    const shown = (name: string): string | undefined => {
      const { header, text } = entries.get(`demo/mlcli_base/training/${name}`) ?? {};
      return header?.type === "symlink" ? `-> ${header.linkname}` : text;
    };
    assertEquals(
      Object.fromEntries(
        ["lib/x.py", "x.py", "data", "round", "scratch"].map((name) => [name, shown(name)]),
      ),
      {
        "lib/x.py": "shared",
        "x.py": "shared",
        "data": "-> ../local_test/test_dir/input/data/training",
        "round": "-> .",
        "scratch": undefined,
      },
    );
  });

  it("fails for a link in the code to what .dockerignore leaves out", async () => {
    await using directory = await makeDirectory({
      ...APP,
      "demo/mlcli_base/training/t.py": "",
      "secrets.yaml": "password",
      ".dockerignore": "secrets.yaml\n",
    });
    await Deno.symlink("../../../secrets.yaml", join(directory.path, "demo/mlcli_base/training/x"));
    await assertRejects(
      () => unpack(directory),
      MlcliError,
      `training/x points to ${directory.path}/secrets.yaml, which .dockerignore excludes`,
    );
  });

  it("fails for a link in the code that leads out, and names its target", async () => {
    await using directory = await makeDirectory({ ...APP, "demo/mlcli_base/training/t.py": "" });
    await Deno.symlink("/etc/hostname", join(directory.path, "demo/mlcli_base/training/x.py"));
    await assertRejects(
      () => unpack(directory),
      MlcliError,
      `demo/mlcli_base/training/x.py points outside ${directory.path}, to /etc/hostname`,
    );
  });

  it("is a tar that the system's own reads", async () => {
    await using directory = await makeDirectory({
      ...APP,
      [`demo/${"long-".repeat(30)}ü.txt`]: "1",
      "demo/mlcli_base/zeros.bin": "\0".repeat(3 * MEGABYTE + 7),
    });
    await using target = await makeDirectory();
    const tar = new Deno.Command("tar", { args: ["-xf", "-", "-C", target.path], stdin: "piped" })
      .spawn();
    await (await contextOf(directory)).pipeTo(tar.stdin);
    assertEquals((await tar.status).code, 0);
    const name = `demo/${"long-".repeat(30)}ü.txt`;
    assertEquals(await Deno.readTextFile(join(target.path, name)), "1");
    const { size } = await Deno.stat(join(target.path, "demo/mlcli_base/zeros.bin"));
    assertEquals(size, 3 * MEGABYTE + 7);
  });

  it("leaves out pipes and sockets", async () => {
    await using directory = await makeDirectory(APP);
    const made = await new Deno.Command("mkfifo", { args: [join(directory.path, "demo/pipe")] })
      .output();
    assertEquals(made.code, 0);
    using _socket = Deno.listen({ transport: "unix", path: join(directory.path, "demo/socket") });
    assertEquals(await pathsOf(directory), PATHS);
  });
});

suite("buildContext: what is missing or cannot be read", () => {
  const missing = {
    "demo/mlcli_base/Dockerfile": "Dockerfile not found: demo/mlcli_base/Dockerfile",
    "requirements.txt": "Requirements file not found: requirements.txt",
  };
  for (const [path, message] of Object.entries(missing)) {
    for (const instead of ["nothing", "a directory"]) {
      it(`says at once that there is ${instead} at ${path}`, async () => {
        await using directory = await makeDirectory(APP);
        await Deno.remove(join(directory.path, path));
        if (instead === "a directory") await directory.write({ [`${path}/`]: "" });
        const error = await assertRejects(() => contextOf(directory), MlcliError);
        assertEquals([error.name, error.message], ["MlcliError", message]);
        assert(error.hint);
      });
    }
  }

  it("names a file that it cannot name", async () => {
    await using directory = await makeDirectory(APP);
    const folder = `${directory.path}/demo/mlcli_base/training`;
    // A name in Latin 1.
    python(folder, 'open(b"caf\\xe9", "w")');
    const entries = await Array.fromAsync(Deno.readDir(folder));
    assertEquals(entries.length > 1, LISTS_ALL_NAMES);
    if (!LISTS_ALL_NAMES) return;
    await assertRejects(
      () => pathsOf(directory),
      MlcliError,
      "caf\ufffd: its name is not UTF-8",
    );
  });

  it("names a file that may not be read", async () => {
    await using directory = await makeDirectory({ ...APP, "demo/secret.txt": "x" });
    await Deno.chmod(join(directory.path, "demo/secret.txt"), 0);
    const stdout = await withoutOverride(`
      const stream = await buildContext(await findApp(${JSON.stringify(directory.path)}, "demo"));
      try { for await (const _ of stream); } catch (error) { console.log(error.name, error.message); }
    `);
    assertEquals(stdout, "MlcliError Cannot read demo/secret.txt: Permission denied\n");
  });

  it("fails when a file gets shorter, and lets go of it", async () => {
    await using directory = await makeDirectory({ ...APP, "demo/a.bin": "x".repeat(MEGABYTE) });
    const reader = (await contextOf(directory)).getReader();
    await readUntil(reader, "demo/a.bin");
    await Deno.truncate(join(directory.path, "demo/a.bin"), 100);
    const error = await assertRejects(() => readToEnd(reader), MlcliError);
    assertStringIncludes(
      error.message,
      "demo/a.bin became shorter while mlcli was sending it to the Docker Engine",
    );
  });

  it("sends as much of a growing file as it announced", async () => {
    await using directory = await makeDirectory({ ...APP, "demo/a.log": "x".repeat(MEGABYTE) });
    const reader = (await contextOf(directory)).getReader();
    const start = await readUntil(reader, "demo/a.log");
    await Deno.writeTextFile(join(directory.path, "demo/a.log"), "yyy", { append: true });
    const rest = await readToEnd(reader);
    assertEquals((start + rest) % 512, 0);
    // The harness is in it, too.
    assert(start + rest < MEGABYTE + 400_000);
  });

  it("closes what is open when the reader goes away", async () => {
    // The sanitizer of resources fails this test otherwise.
    await using directory = await makeDirectory({ ...APP, "demo/a.bin": "x".repeat(MEGABYTE) });
    const reader = (await contextOf(directory)).getReader();
    await readUntil(reader, "demo/a.bin");
    await reader.cancel();
  });

  it("opens nothing before it is read", async () => {
    await using directory = await makeDirectory(APP);
    await contextOf(directory);
  });
});

suite("buildContext: size", () => {
  it("reads no further than its reader, plus a little", async () => {
    await using directory = await makeDirectory(APP);
    await sparse(join(directory.path, "demo/large.bin"), 300 * MEGABYTE);
    const reader = (await contextOf(directory)).getReader();
    await readUntil(reader, "demo/large.bin");
    // Time enough to read much more, if anything did.
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setTimeout(resolve));
    const position = await positionIn(join(directory.path, "demo/large.bin"));
    assert(position > 0 && position < MEGABYTE, `${position} bytes read ahead`);
    await reader.cancel();
  });

  it("passes 300 MB in constant memory, and never touches a gigabyte beside the app", async () => {
    await using directory = await makeDirectory(APP);
    await sparse(join(directory.path, "demo/large.bin"), 300 * MEGABYTE);
    await sparse(join(directory.path, "data.bin"), 1024 * MEGABYTE);
    const stdout = await withoutOverride(`
      const stream = await buildContext(await findApp(${JSON.stringify(directory.path)}, "demo"));
      const before = Deno.memoryUsage().rss;
      let size = 0;
      let most = 0;
      for await (const bytes of stream) {
        size += bytes.length;
        most = Math.max(most, Deno.memoryUsage().rss - before);
      }
      console.log(JSON.stringify({ size, most }));
    `);
    const { size, most } = JSON.parse(stdout) as { size: number; most: number };
    assert(size > 300 * MEGABYTE && size < 301 * MEGABYTE, `${size} bytes sent`);
    assert(most < 100 * MEGABYTE, `${most} bytes more memory`);
  });
});

async function sparse(path: string, size: number): Promise<void> {
  await Deno.writeTextFile(path, "");
  await Deno.truncate(path, size);
}

/** How far this process has read in an open file, from the kernel: other tests read others. */
async function positionIn(path: string): Promise<number> {
  for await (const { name } of Deno.readDir("/proc/self/fd")) {
    if (await Deno.readLink(`/proc/self/fd/${name}`).catch(() => "") !== path) continue;
    return Number(/^pos:\s+(\d+)/.exec(await Deno.readTextFile(`/proc/self/fdinfo/${name}`))?.[1]);
  }
  throw new Error(`${path} is not open`);
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Reads until a name has been seen; returns the number of bytes. */
async function readUntil(reader: Reader, name: string): Promise<number> {
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    assert(!done, `${name} is not in the archive`);
    size += value.length;
    if (new TextDecoder().decode(value.subarray(0, 100)).includes(name)) return size;
  }
}

async function readToEnd(reader: Reader): Promise<number> {
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return size;
    size += value.length;
  }
}

/**
 * What code prints in a process of its own, in which `buildContext` and `findApp` are there. Root may
 * read everything: there it runs without that power, as everybody else does.
 */
function withoutOverride(code: string): Promise<string> {
  return inOwnProcess(code, {
    imports: {
      buildContext: "tests/helpers/build_context.ts",
      findApp: "runtime/app/app.ts",
    },
    within: Deno.uid() === 0
      ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
      : [],
  });
}

/** Fewer files than an app has: the others are made. */
const FEW = {
  "demo.json": "{}",
  "requirements.txt": "",
  "demo/mlcli_base/Dockerfile": "FROM x\n",
  "demo/mlcli_base/training/training.py": "",
};

/** Type and mode of each entry of the app's context, those of the harness apart. */
async function modesOf(directory: TestDirectory): Promise<Record<string, string>> {
  const modes: Record<string, string> = {};
  for (const [name, { header: { type, mode, uid, gid } }] of await unpack(directory)) {
    assertEquals([uid, gid], [0, 0], name);
    if (!name.startsWith(".mlcli/")) modes[name] = `${type} ${mode!.toString(8)}`;
  }
  return modes;
}

// Windows has no such bits: there everything gets what Docker gives it.
if (Deno.build.os !== "windows") {
  suite("buildContext: mode bits", () => {
    it("sends those of files and directories as they are", async () => {
      await using directory = await makeDirectory({
        ...FEW,
        ".dockerignore": "",
        "demo/secret": "",
        "demo/everyones": "",
        "demo/setuid": "",
        "demo/setgid": "",
        "demo/own/": "",
        "demo/sticky/": "",
        "demo/shared/a": "",
      });
      const modes: Readonly<Record<string, number>> = {
        ".dockerignore": 0o640,
        "requirements.txt": 0o600,
        "demo/mlcli_base": 0o775,
        "demo/mlcli_base/Dockerfile": 0o444,
        "demo/mlcli_base/training": 0o711,
        "demo/mlcli_base/training/training.py": 0o751,
        "demo/secret": 0o600,
        "demo/everyones": 0o777,
        "demo/setuid": 0o4755,
        "demo/setgid": 0o2755,
        "demo/own": 0o700,
        "demo/sticky": 0o1777,
        "demo/shared": 0o2770,
        "demo/shared/a": 0o400,
      };
      // After the files that were made for them, so that no umask counts.
      for (const [path, mode] of Object.entries(modes)) {
        await Deno.chmod(join(directory.path, path), mode);
      }
      await Deno.symlink("secret", join(directory.path, "demo/link"));
      const folders = ["mlcli_base", "mlcli_base/training", "own", "sticky", "shared"]
        .map((folder) => `demo/${folder}`);
      assertEquals(await modesOf(directory), {
        ...Object.fromEntries(
          Object.entries(modes).map(([path, mode]) => [
            path,
            `${folders.includes(path) ? "directory" : "file"} ${mode.toString(8)}`,
          ]),
        ),
        "demo/link": "symlink 777",
        ".mlcli-build": "directory 755",
        // Not there.
        "demo/mlcli_base/common": "directory 755",
        "demo/mlcli_base/prediction": "directory 755",
        "demo/mlcli_base/processing": "directory 755",
      });
    });

    it("gives all of it to somebody else where it is asked to", async () => {
      await using directory = await makeDirectory({ ...FEW, "demo/a/b": "" });
      await Deno.symlink("a", join(directory.path, "demo/link"));
      const owner = { uid: 231_072, gid: 231_073 };
      const entries = await unpack(directory, { owner: () => Promise.resolve(owner) });
      const owners = new Set(
        [...entries.values()].map(({ header: { type, uid, gid } }) => `${type} ${uid}:${gid}`),
      );
      assertEquals([...owners].toSorted(), [
        "directory 231072:231073",
        "file 231072:231073",
        "symlink 231072:231073",
      ]);
    });

    it("sends those of the file that a requirements file is a link to", async () => {
      await using directory = await makeDirectory({
        ...FEW,
        "demo.json": JSON.stringify({ requirements: "link.txt" }),
      });
      await Deno.chmod(join(directory.path, "requirements.txt"), 0o640);
      await Deno.symlink("requirements.txt", join(directory.path, "link.txt"));
      assertEquals((await modesOf(directory))["link.txt"], "file 640");
    });
  });
}
