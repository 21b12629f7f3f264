import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { findApp } from "../../../runtime/app/app.ts";
import { changesSince, filesLabel } from "../../../runtime/app/sources.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const BASE = "flats/mlcli_base";
const TRAINING = `${BASE}/training`;
const FILES = {
  "flats.json": "{}",
  "requirements.txt": "six\n",
  [`${BASE}/Dockerfile`]: "FROM x\n",
  [`${TRAINING}/training.py`]: "a = 1\n",
  [`${TRAINING}/lib/deep.py`]: "",
  [`${BASE}/prediction/serve`]: "",
  [`${BASE}/common/features.py`]: "",
};

type Labels = Readonly<Record<string, string>>;
type Parts = Parameters<typeof changesSince>[2];

interface Built extends AsyncDisposable {
  readonly directory: TestDirectory;
  readonly label: string;
  readonly note: string | undefined;
  path(name: string): string;
  /** What differs from the image, by the command's paths; `undefined`: unknown. */
  changes(parts?: Parts, label?: string): Promise<readonly string[] | undefined>;
}

/** An app, and the label of an image of its files. */
async function built(
  files: Readonly<Record<string, string>> = {},
  prepare: (path: (name: string) => string) => Promise<unknown> = () => Promise.resolve(),
  labels: Labels = {},
): Promise<Built> {
  const directory = await makeDirectory({ ...FILES, ...files });
  const path = (name: string) => join(directory.path, name);
  await prepare(path);
  const app = await findApp(directory.path, "flats");
  const { label, note } = await filesLabel(app, { Config: { Labels: labels } });
  return {
    ...{ directory, label, note, path },
    async changes(parts, files = label) {
      const image = { Config: { Labels: { ...labels, "mlcli.files": files } } };
      return (await changesSince(app, image, parts))?.map(({ shown }) => shown);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Sets the time of a file, and nothing else. */
async function touch(path: string): Promise<void> {
  await Deno.utime(path, new Date("2040-01-01T00:00:00Z"), new Date("2040-01-01T00:00:00Z"));
}

suite("what differs between an app and its image", () => {
  type Edit = (app: Built) => Promise<unknown>;
  const write = (name: string, text: string): Edit => ({ directory }) =>
    directory.write({ [name]: text });
  const rows: Readonly<Record<string, readonly [Edit, readonly string[]]>> = {
    // https://github.com/rust-lang/cargo/issues/6529, https://github.com/ojkelly/yarn.build/issues/285
    "is nothing after all files were touched": [
      async ({ path }) => {
        for (const name of Object.keys(FILES)) await touch(path(name));
      },
      [],
    ],
    // https://github.com/swiftlang/swift-llbuild/pull/641
    "is nothing after an edit was reverted": [
      async ({ directory, path }) => {
        await directory.write({ [`${TRAINING}/training.py`]: "a = 2\n" });
        await Deno.remove(path(`${TRAINING}/training.py`));
        await directory.write({ [`${TRAINING}/training.py`]: "a = 1\n" });
      },
      [],
    ],
    "is nothing after the mode of a file got other bits than those of a program": [
      ({ path }) => Deno.chmod(path("requirements.txt"), 0o600),
      [],
    ],
    // https://github.com/libgit2/libgit2/issues/5998
    "is a file with other bytes, even if its size and its time are as they were": [
      async ({ directory, path }) => {
        const { atime, mtime } = await Deno.stat(path(`${TRAINING}/training.py`));
        await directory.write({ [`${TRAINING}/training.py`]: "a = 3\n" });
        await Deno.utime(path(`${TRAINING}/training.py`), atime!, mtime!);
      },
      [`${TRAINING}/training.py`],
    ],
    "is a file that was added": [write(`${TRAINING}/new.py`, ""), [`${TRAINING}/new.py`]],
    "is a file that was deleted": [
      ({ path }) => Deno.remove(path(`${TRAINING}/lib/deep.py`)),
      [`${TRAINING}/lib/deep.py (only in the image)`],
    ],
    "is both names of a file that was renamed": [
      ({ path }) => Deno.rename(path(`${TRAINING}/lib/deep.py`), path(`${TRAINING}/d.py`)),
      [`${TRAINING}/d.py`, `${TRAINING}/lib/deep.py (only in the image)`],
    ],
    // https://github.com/uber-archive/makisu/pull/196
    "is a file that became a program": [
      ({ path }) => Deno.chmod(path(`${BASE}/prediction/serve`), 0o755),
      [`${BASE}/prediction/serve`],
    ],
    "is the line ends of another editor": [
      write(`${TRAINING}/training.py`, "a = 1\r\n"),
      [`${TRAINING}/training.py`],
    ],
    "is a requirements file that is gone": [
      ({ path }) => Deno.remove(path("requirements.txt")),
      ["requirements.txt (only in the image)"],
    ],
    "is nothing that a build does not send": [
      ({ directory }) =>
        directory.write({
          [`${TRAINING}/__pycache__/x.pyc`]: "",
          [`${TRAINING}/.training.py.swp`]: "",
          [`${TRAINING}/.#training.py`]: "",
          [`${TRAINING}/#training.py#`]: "",
          [`${TRAINING}/.env`]: "A=1",
          [`${BASE}/local_test/test_dir/input/data/training/a.csv`]: "1",
          "notes.txt": "",
        }),
      [],
    ],
    "is a file that .dockerignore leaves out by now": [
      write(".dockerignore", "**/lib\n"),
      [`${TRAINING}/lib/deep.py (only in the image)`],
    ],
  };
  for (const [title, [edit, expected]] of Object.entries(rows)) {
    it(`a difference between app and image ${title}`, async () => {
      await using app = await built();
      assertEquals(await app.changes(), []);
      await edit(app);
      assertEquals(await app.changes(), expected);
    });
  }

  it("changesSince compares only the parts that matter, besides Dockerfile and requirements", async () => {
    await using app = await built();
    await app.directory.write(
      Object.fromEntries(Object.keys(FILES).slice(1).map((name) => [name, "other"])),
    );
    const others = [`${BASE}/Dockerfile`, "requirements.txt"];
    assertEquals(await app.changes([]), others);
    assertEquals(await app.changes(["prediction", "common"]), [
      ...others,
      `${BASE}/prediction/serve`,
      `${BASE}/common/features.py`,
    ]);
  });

  it("changesSince returns undefined if the label is missing, broken or too large", async () => {
    await using app = await built();
    for (const label of ["", "no JSON", "null", `{"a":"${"x".repeat(4_000)}"}`]) {
      assertEquals({ label, found: await app.changes([], label) }, { label, found: undefined });
    }
  });

  it("changesSince finds a link that leads elsewhere, and other content behind a link that a build follows", async () => {
    await using app = await built({ "shared/s.py": "1", "shared/t.py": "1" }, async (path) => {
      await Deno.symlink("../../../shared/s.py", path(`${TRAINING}/s.py`));
      await Deno.symlink(".", path(`${TRAINING}/circle`));
    });
    await Deno.remove(app.path(`${TRAINING}/s.py`));
    await Deno.symlink("../../../shared/t.py", app.path(`${TRAINING}/s.py`));
    assertEquals(await app.changes(), []);
    await app.directory.write({ "shared/t.py": "2" });
    assertEquals(await app.changes(), [`${TRAINING}/s.py`]);
  });

  it("changesSince ignores other content behind a link to test data or to a file outside", async () => {
    const data = `${BASE}/local_test/test_dir/input/data/training/a.csv`;
    await using outside = await makeDirectory({ "a.py": "1" });
    await using app = await built({ [data]: "1" }, async (path) => {
      await Deno.symlink(path(data), path(`${TRAINING}/a.csv`));
      await Deno.symlink(join(outside.path, "a.py"), path(`${TRAINING}/a.py`));
    });
    await app.directory.write({ [data]: "2" });
    await outside.write({ "a.py": "2" });
    assertEquals(await app.changes(), []);
  });

  it("changesSince compares the files that requirements refer to, and both files of a project of uv", async () => {
    const requirements = "-r base.txt\n./lib\n";
    const files = { "requirements.txt": requirements, "base.txt": "", "lib/src/a.py": "" };
    await using app = await built(files);
    await app.directory.write({ "base.txt": "six", "lib/src/a.py": "a" });
    assertEquals(await app.changes([]), ["base.txt", "lib/src/a.py"]);
    const removed = (path: (name: string) => string) => Deno.remove(path("requirements.txt"));
    await using project = await built({ "pyproject.toml": "", "uv.lock": "" }, removed);
    await project.directory.write({ "pyproject.toml": "a", "uv.lock": "a" });
    assertEquals(await project.changes([]), ["pyproject.toml", "uv.lock"]);
  });

  it("changesSince compares a requirements file beside code, even if that code does not matter", async () => {
    const requirements = `${TRAINING}/requirements.txt`;
    const files = { "flats.json": JSON.stringify({ requirements }), [requirements]: "" };
    await using app = await built(files);
    assertEquals(await app.changes([]), []);
    await app.directory.write({ [requirements]: "six", [`${TRAINING}/training.py`]: "x" });
    assertEquals(await app.changes([]), [requirements]);
  });

  it("changesSince compares the image's Dockerfile if it is in the app's directory", async () => {
    for (
      const [dockerfile, expected] of [
        ["gpu.Dockerfile", ["gpu.Dockerfile"]],
        [".mlcli-dockerfile", []],
      ] as const
    ) {
      const labels = { "mlcli.dockerfile": dockerfile };
      await using app = await built({ "gpu.Dockerfile": "" }, undefined, labels);
      await app.directory.write({ "gpu.Dockerfile": "x", [`${BASE}/Dockerfile`]: "x" });
      assertEquals(await app.changes([]), expected);
    }
  });
});

const many = (folder: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${folder}/module_${index}.py`, ""]),
  );

suite("the label of an image's files", () => {
  // https://github.com/paketo-buildpacks/full-builder/issues/415
  it("filesLabel has at most 4,000 bytes, and names directories if there are too many files", async () => {
    await using app = await built(many(`${TRAINING}/lib`, 400));
    assert(app.label.length < 4_000, app.label);
    assertEquals(await app.changes(), []);
    await app.directory.write({ [`${TRAINING}/lib/module_7.py`]: "x" });
    assertEquals(await app.changes(), [TRAINING]);
    assertEquals(await app.changes(["prediction"]), []);
    await app.directory.write({ [`${BASE}/Dockerfile`]: "x" });
    assertEquals(await app.changes([]), [`${BASE}/Dockerfile`]);
  });

  it("filesLabel has a hash of the harness", async () => {
    await using app = await built();
    const old = app.label.replace(/("\.mlcli\/":")\w+/, "$1old");
    // By default, it matters in an image that holds it.
    const found = [["harness"], [], undefined] as const;
    assertEquals(await Promise.all(found.map((parts) => app.changes(parts, old))), [
      ["mlcli's harness"],
      [],
      [],
    ]);
  });

  it("filesLabel has the time of the largest files if all files have more than 256 MB", async () => {
    const weights = `${TRAINING}/weights.bin`;
    await using app = await built(
      { [weights]: "" },
      (path) => Deno.truncate(path(weights), 256 * 1024 ** 2),
    );
    assertMatch(
      app.note ?? "",
      /^The code exceeds 256 MB, so changes in \S+weights\.bin are detected /,
    );
    for (const name of [`${TRAINING}/training.py`, `${BASE}/Dockerfile`]) {
      await touch(app.path(name));
    }
    assertEquals(await app.changes(), []);
    await touch(app.path(weights));
    assertEquals(await app.changes(), [weights]);
  });

  it("changesSince compares a large file by its time even if the other files have become smaller", async () => {
    const [weights, more] = [`${TRAINING}/weights.bin`, `${TRAINING}/more.bin`];
    const files = { ...many(`${TRAINING}/lib`, 400), [weights]: "", [more]: "" };
    await using app = await built(files, async (path) => {
      await Deno.truncate(path(weights), 255 * 1024 ** 2);
      await Deno.truncate(path(more), 2 * 1024 ** 2);
    });
    assertEquals(await app.changes(), []);
    await Deno.remove(app.path(more));
    assertEquals(await app.changes(), [TRAINING]);
    await touch(app.path(weights));
    assertEquals(await app.changes(), [TRAINING, weights]);
  });

  it("changesSince names a directory with a requirements file only if its code matters", async () => {
    const requirements = `${TRAINING}/requirements.txt`;
    const files = { "flats.json": JSON.stringify({ requirements }), [requirements]: "" };
    await using app = await built({ ...files, ...many(TRAINING, 400) });
    await app.directory.write({ [requirements]: "six" });
    assertEquals([await app.changes([]), await app.changes(["training"])], [[], [TRAINING]]);
  });

  it("filesLabel hashes no file after Ctrl-C", async () => {
    await using directory = await makeDirectory(FILES);
    const app = await findApp(directory.path);
    await assertRejects(
      () => filesLabel(app, {}, AbortSignal.abort(new Error("Ctrl-C"))),
      Error,
      "Ctrl-C",
    );
  });

  it("changesSince compares small files by their hashes even after a huge file was added", async () => {
    await using app = await built();
    const weights = `${TRAINING}/a.bin`;
    await app.directory.write({ [weights]: "" });
    await Deno.truncate(app.path(weights), 256 * 1024 ** 2);
    assertEquals(await app.changes(), [weights]);
  });
});

suite("the label of an image of a context of the user's own", () => {
  const OWN = {
    "flats.json": '{"context": "docker"}',
    "docker/Dockerfile": "",
    "docker/train": "",
    "docker/out": "",
    "docker/other/mlcli_base/local_test/test_dir/model/m": "",
  };
  const labels = { "mlcli.context": "own", "mlcli.dockerfile": "Dockerfile" };

  it("filesLabel of a context has all files that a build sends, without following links", async () => {
    await using outside = await makeDirectory({ "a.py": "1" });
    const files = { ...OWN, "docker/Dockerfile.dockerignore": "out\nDockerfile\n" };
    const link = (path: (name: string) => string) =>
      Deno.symlink(join(outside.path, "a.py"), path("docker/a.py"));
    await using app = await built(files, link, labels);
    assertEquals(Object.keys(JSON.parse(app.label)), [
      "Dockerfile",
      "Dockerfile.dockerignore",
      "a.py",
      "train",
    ]);
    await outside.write({ "a.py": "2" });
    await app.directory.write({ "docker/out": "x", [`${TRAINING}/training.py`]: "" });
    assertEquals(await app.changes(), []);
    await app.directory.write({ "docker/train": "x" });
    assertEquals(await app.changes([]), ["docker/train"]);
  });

  it("filesLabel of a context has one hash if hundreds of files are at its top", async () => {
    await using app = await built({ ...OWN, ...many("docker", 400) }, undefined, labels);
    assertEquals(Object.keys(JSON.parse(app.label)), [""]);
    await app.directory.write({ "docker/module_7.py": "x" });
    assertEquals(await app.changes(), ["docker"]);
  });

  it("filesLabel of a context has a hash for each directory if hundreds of files are below", async () => {
    const files = { ...many("docker/a", 200), ...many("docker/a/b", 200) };
    await using app = await built({ ...OWN, ...files }, undefined, labels);
    assertEquals(await app.changes(), []);
    await app.directory.write({ "docker/a/b/module_7.py": "x" });
    assertEquals(await app.changes(), ["docker/a/b"]);
  });

  it("filesLabel of a context is empty if the Dockerfile is outside: later commands don't know its ignore file", async () => {
    for (const dockerfile of [".mlcli-dockerfile", "../Dockerfile"]) {
      await using app = await built(OWN, undefined, { ...labels, "mlcli.dockerfile": dockerfile });
      assertEquals(app.label, "");
    }
  });
});
