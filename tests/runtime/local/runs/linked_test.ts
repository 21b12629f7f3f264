import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { dirname, join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import {
  brokenDifferences,
  layLinked,
  lookAt,
  notesOn,
  planLinked,
  pointerDifferences,
} from "../../../../runtime/local/runs/linked.ts";
import { ONE_HOST } from "../../../../runtime/local/jobs.ts";
import { LISTS_ALL_NAMES, makeDirectory } from "../../../helpers/directory.ts";
import { python } from "../../../helpers/python.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** git-lfs, docs/spec.md */
const POINTER = "version https://git-lfs.github.com/spec/v1\n" +
  `oid sha256:${"4d7a".repeat(16)}\nsize 12345\n`;

/** A job on one host that gets all data. */
const ALONE = { copyInputs: false, hosts: ONE_HOST };

/** A repository with data; a text that begins with an arrow is a link. */
async function repository(files: Readonly<Record<string, string>>) {
  const directory = await makeDirectory({ "run/": "" });
  const root = directory.path;
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(root, path)), { recursive: true });
    if (text.startsWith("-> ")) await Deno.symlink(text.slice(3), join(root, path));
    else await Deno.writeTextFile(join(root, path), text);
  }
  const layout = { directory: root, boundary: root };
  const looked = await lookAt(layout, [
    { name: "training", source: join(root, "data"), path: "/opt/ml/input/data/training" },
  ]);
  const laid = async (isOne = false) => {
    const [linked] = planLinked(looked, join(root, "run"), { ...ALONE, copyInputs: isOne });
    await layLinked([linked!], layout, new AbortController().signal);
    return linked!;
  };
  return {
    root,
    layout,
    looked,
    laid,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

suite("A channel with links", () => {
  it("mounts a channel without links as it is", async () => {
    await using repo = await repository({ "data/a.csv": "1" });
    const { source, mounts } = await repo.laid();
    assertEquals([source, mounts], [join(repo.root, "data"), []]);
  });

  // https://github.com/AlexsLemonade/OpenScPCA-analysis/issues/733
  it("mounts the targets of links, and their neighbours", async () => {
    await using repo = await repository({
      "data/current": "-> 2026-11",
      "data/2026-11/a.csv": "1",
      "data/plain/b.csv": "2",
      "data/deep/c.csv": "-> ../../shared/c.csv",
      "data/deep/gone.csv": "-> nowhere",
      "shared/c.csv": "3",
    });
    const { source, mounts } = await repo.laid();
    assertEquals(source, join(repo.root, "run/linked/training"));
    assertEquals(
      mounts.map(({ path, source }) => [path, source.slice(repo.root.length + 1)]).sort(),
      [
        ["2026-11", "data/2026-11"],
        ["current", "data/2026-11"],
        ["deep/c.csv", "shared/c.csv"],
        ["plain", "data/plain"],
      ],
    );
    // The engine cannot make a mount point in a directory that is mounted read-only.
    assertEquals(mounts.map(({ path }) => Deno.statSync(join(source, path)).isFile), [
      ...mounts.map(({ path }) => path.endsWith(".csv")),
    ]);
    assertEquals(await Deno.readLink(join(source, "deep/gone.csv")), "nowhere");
  });

  it("makes one mount of a channel with one link", async () => {
    await using repo = await repository({ "data/a.csv": "-> ../b.csv", "b.csv": "1" });
    const { source, mounts } = await repo.laid();
    assertEquals(mounts, [{ path: "a.csv", source: join(repo.root, "b.csv") }]);
    assertEquals(await Deno.readTextFile(join(source, "a.csv")), "");
  });

  // https://github.com/huggingface/datasets/issues/5098
  it("makes hard links if there would be more than a hundred mounts", async () => {
    const names = Array.from({ length: 101 }, (_, index) => `${index}.jpg`);
    await using repo = await repository({
      ...Object.fromEntries(names.map((name) => [`blobs/${name}`, name])),
      ...Object.fromEntries(names.map((name) => [`data/cats/${name}`, `-> ../../blobs/${name}`])),
      "data/labels.csv": "1",
    });
    const { source, mounts } = await repo.laid();
    assertEquals(mounts, []);
    assertEquals(await Deno.readTextFile(join(source, "cats/100.jpg")), "100.jpg");
    assertEquals(
      Deno.lstatSync(join(source, "labels.csv")).ino,
      Deno.lstatSync(join(repo.root, "data/labels.csv")).ino,
    );
  });

  it("mounts a directory as it is if a container might be writing to it", async () => {
    const output = "flats/mlcli_base/local_test/test_dir/output";
    await using repo = await repository({ [`${output}/a`]: "1", [`${output}/latest`]: "-> a" });
    const source = join(repo.root, output);
    const looked = await lookAt(repo.layout, [{ name: "x", source, path: "/opt/ml/input/data/x" }]);
    const [linked] = planLinked(looked, join(repo.root, "run"), ALONE);
    assertEquals([linked?.source, linked?.mounts], [source, []]);
  });

  it("keeps large directories whole beside a link", async () => {
    await using repo = await repository({ "data/a.csv": "-> ../b.csv", "b.csv": "1" });
    const large = join(repo.root, "data/large");
    Deno.mkdirSync(large);
    for (let index = 0; index < 20_000; index++) Deno.writeTextFileSync(`${large}/${index}`, "");
    const looked = await lookAt(repo.layout, repo.looked);
    const [linked] = planLinked(looked, join(repo.root, "run"), ALONE);
    assertEquals(linked?.mounts.map(({ path }) => path).sort(), ["a.csv", "large"]);
  });

  it("fails for a name that is not UTF-8 beside a link", async () => {
    await using repo = await repository({ "data/a.csv": "-> ../b.csv", "b.csv": "1" });
    python(join(repo.root, "data"), 'open(b"bad\\xff.csv", "w")');
    if (!LISTS_ALL_NAMES) return;
    await assertRejects(() => repo.laid(), MlcliError, "Cannot mount bad");
  });

  it("makes hard links if a channel is copied or sharded", async () => {
    await using repo = await repository({ "data/a.csv": "-> ../b.csv", "b.csv": "1" });
    const { source, mounts } = await repo.laid(true);
    assertEquals([mounts, Deno.lstatSync(join(source, "a.csv")).isFile], [[], true]);
  });

  it("keeps a link whose target was removed meanwhile", async () => {
    await using repo = await repository({ "data/a.csv": "-> ../b.csv", "b.csv": "1" });
    await Deno.remove(join(repo.root, "b.csv"));
    // It is broken by then, and stays a link.
    const { source } = await repo.laid(true);
    assertEquals(await Deno.readLink(join(source, "a.csv")), "../b.csv");
  });

  // https://github.com/aws/aws-cli/issues/3150, https://github.com/noonghunna/club-3090/pull/918
  it("warns of broken links, and fails for them under --strict", async () => {
    await using repo = await repository({
      "data/a.csv": "1",
      "data/b.csv": "-> ../gone.csv",
      "data/c.csv": "-> /etc/hostname",
      // Emacs keeps one beside a file that is being edited.
      "data/.#a.csv": "-> user@host.1",
    });
    const [difference] = brokenDifferences(repo.layout, repo.looked, false);
    assertEquals(
      difference?.message,
      "data/b.csv points to ../gone.csv, which does not exist (and 1 more link)",
    );
    assertThrows(
      () => brokenDifferences(repo.layout, repo.looked, true),
      MlcliError,
      "data/b.csv points to",
    );
  });
});

suite("What a channel holds", () => {
  // https://github.com/perslab/CELLECT/issues/24: pandas reads a pointer without an error.
  it("warns of Git LFS pointers among other files", async () => {
    await using repo = await repository({ "data/a.csv": POINTER, "data/b.csv": "1" });
    assertEquals(pointerDifferences(repo.layout, repo.looked, false), [{
      level: "warning",
      message: "data/a.csv is a Git LFS pointer, not the file itself",
      hint: "Run git lfs pull in the repository. If you downloaded a ZIP " +
        "file, clone the repository instead.",
    }]);
    assertThrows(
      () => pointerDifferences(repo.layout, repo.looked, true),
      MlcliError,
      "data/a.csv",
    );
  });

  it("fails if there are only Git LFS pointers", async () => {
    await using repo = await repository({
      "data/a.csv": POINTER,
      "data/b.csv": "-> ../b.csv",
      "b.csv": POINTER,
      "data/.gitkeep": "",
    });
    assertThrows(
      () => pointerDifferences(repo.layout, repo.looked, false),
      MlcliError,
      "and 1 more are Git LFS pointers, not the files themselves",
    );
  });

  // https://github.com/open-mmlab/mmpretrain/issues/507
  it("notes files that uploads leave out", async () => {
    await using repo = await repository({
      "data/a.csv": "1",
      "data/.ipynb_checkpoints/a-checkpoint.csv": "1",
    });
    assertEquals(notesOn(repo.layout, repo.looked), [
      "The container sees files of data that uploads skip: .ipynb_checkpoints",
    ]);
  });

  it("notes a channel of more than 20,000 files", async () => {
    await using repo = await repository({ "data/a.csv": "1" });
    for (let index = 0; index < 20_000; index++) {
      Deno.writeTextFileSync(join(repo.root, `data/${index}`), "");
    }
    const looked = await lookAt(repo.layout, repo.looked);
    assertEquals(notesOn(repo.layout, looked), [
      "data contains more than 20000 files; mlcli checked only the first ones for links and " +
      "Git LFS pointers",
    ]);
    assertEquals(notesOn(repo.layout, repo.looked), []);
  });
});

// A link that changes between the look and the copy must not lead out.
suite("A link that is changed", () => {
  it("checks a link again when files are laid out", async () => {
    await using repo = await repository({ "data/a.csv": "-> ../b.csv", "b.csv": "1" });
    await Deno.remove(join(repo.root, "data/a.csv"));
    await Deno.symlink("/etc/hostname", join(repo.root, "data/a.csv"));
    const { source } = await repo.laid(true);
    assertEquals(Deno.lstatSync(join(source, "a.csv")).isSymlink, true);
  });
});
