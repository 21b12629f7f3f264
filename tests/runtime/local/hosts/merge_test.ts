import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { mergeHosts, sameModel } from "../../../../runtime/local/hosts/merge.ts";
import { restore, wereRead } from "../../../../runtime/local/hosts/restored.ts";
import { filesBelow, makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { python } from "../../../helpers/python.ts";
import { it, suite } from "../../../helpers/suite.ts";

type Files = Readonly<Record<string, string>>;

/** Of `a=1 d/b=2`: files, and their texts. `-a` is one that goes. */
function filesOf(words: string): Files {
  return Object.fromEntries(
    words.split(" ").filter((word) => word !== "").map((word) => [word, ""].join("=").split("=")),
  );
}

/** Makes files in a directory. */
async function write(directory: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name.replace(/^-/, ""));
    if (name.startsWith("-")) await Deno.remove(path, { recursive: true });
    else {
      await Deno.mkdir(name.endsWith("/") ? path : join(path, ".."), { recursive: true });
      if (!name.endsWith("/")) await Deno.writeTextFile(path, text);
    }
  }
}

interface Merged {
  readonly files: Files;
  /** Paths, and the hosts that wrote there. */
  readonly clashes: readonly string[];
}

/** Merges into one directory what `algo-1`, `algo-2`, ... wrote, or have made of a copy of that. */
async function merged(
  before: Files,
  hosts: readonly Files[],
  { isRestored = false, prepare = (_path: string) => {}, look = (_target: string) => {} } = {},
): Promise<Merged> {
  await using place = await makeDirectory({ "target/": "" });
  const target = join(place.path, "target");
  await write(target, before);
  for (const name of Object.keys(before)) await Deno.utime(join(target, name), 1, 1);
  const folders = hosts.map((_, index) => `algo-${index + 1}`)
    .map((host) => ({ host, path: join(place.path, host) }));
  for (const [index, { path }] of folders.entries()) {
    if (isRestored) await restore(target, path);
    else await Deno.mkdir(path);
    await write(path, hosts[index]!);
  }
  prepare(place.path);
  const clashes = await mergeHosts(target, folders, { isRestored });
  assertEquals(await namesIn(place.path), ["target"]);
  look(target);
  return {
    files: listing(target),
    clashes: clashes.map(({ path, hosts }) => [path, ...hosts].join(" ")),
  };
}

/** What each file in a directory has, where each link leads, and what is neither or empty. */
function listing(folder: string, before = ""): Files {
  const found = Array.from(Deno.readDirSync(folder), ({ name, ...entry }): Files => {
    const path = join(folder, name);
    if (entry.isDirectory) return listing(path, `${before}${name}/`);
    const text = entry.isFile
      ? Deno.readTextFileSync(path)
      : entry.isSymlink
      ? `-> ${Deno.readLinkSync(path)}`
      : "special";
    return { [before + name]: text };
  });
  return Object.assign(found.length > 0 || before === "" ? {} : { [before]: "" }, ...found);
}

suite("what several hosts wrote", () => {
  for (
    const [what, before, hosts, files, clashes] of [
      ["is nothing", "", ["", ""], "", []],
      ["is one host's", "", ["", "a=1 d/b=2"], "a=1 d/b=2", []],
      ["has other names", "", ["a=1", "b=2"], "a=1 b=2", []],
      ["is the same", "", ["d/a=1", "d/a=1"], "d/a=1", []],
      ["is not the same", "", ["d/a=1", "d/a=2"], "d/a=2", ["d/a algo-1 algo-2"]],
      ["is of two the same", "", ["a=1", "a=1", "a=22"], "a=22", ["a algo-1 algo-2 algo-3"]],
      ["is a file and a directory", "", ["a=1", "a/b=2"], "a/b=2", ["a algo-1 algo-2"]],
      ["is a directory and a file", "", ["a/b=2", "a=1"], "a=1", ["a algo-1 algo-2"]],
      ["takes the place of a file that was there", "a=0 b=0", ["a=1"], "a=1 b=0", []],
      ["comes into a directory that was there", "d/a=0", ["d/b=1", "d/a=2"], "d/a=2 d/b=1", []],
      ["is a directory for a file that was there", "a=0", ["a/b=1"], "a/b=1", []],
      ["is a placeholder", ".gitkeep=0", [".gitkeep=1"], ".gitkeep=0", []],
      ["are new placeholders", "", [".gitkeep=1", ".gitkeep=2"], ".gitkeep=2", []],
    ] as readonly (readonly [string, string, readonly string[], string, readonly string[]])[]
  ) {
    it(what, async () => {
      const found = await merged(filesOf(before), hosts.map(filesOf));
      assertEquals(found, { files: filesOf(files), clashes });
    });
  }

  it("comes into a directory that is made, and may be in one that is not there", async () => {
    await using place = await makeDirectory({ "algo-1/a": "1" });
    const folders = ["algo-1", "algo-2"].map((host) => ({ host, path: join(place.path, host) }));
    const target = join(place.path, "new/target");
    assertEquals(await mergeHosts(target, folders, { isRestored: true }), []);
    assertEquals(await filesBelow(target), { a: "1" });
  });
});

suite("what several hosts made of checkpoints a and d/b", () => {
  for (
    const [what, hosts, files, clashes] of [
      ["no changes", ["", ""], "a=1 d/b=2", []],
      ["one change", ["", "a=9", ""], "a=9 d/b=2", []],
      ["the same change", ["a=9", "a=9"], "a=9 d/b=2", []],
      ["other changes", ["a=8", "a=9"], "a=9 d/b=2", ["a algo-1 algo-2"]],
      ["new files", ["c=1", "d/e=2"], "a=1 d/b=2 c=1 d/e=2", []],
      ["a deletion", ["-a", ""], "d/b=2", []],
      ["a deletion of a directory", ["", "-d"], "a=1", []],
      ["nothing left, not even the placeholder", ["-a -d -.gitkeep", "-a -d -.gitkeep"], "", []],
      ["a deletion and a change", ["-a", "a=9"], "a=9 d/b=2", []],
      ["a file for a directory", ["-d d=9", "-d"], "a=1 d=9", []],
      ["a directory for a file", ["", "-a a/c=9"], "a/c=9 d/b=2", []],
    ] as const
  ) {
    it(what, async () => {
      const before = { ...filesOf("a=1 d/b=2"), ".gitkeep": "" };
      const found = await merged(before, hosts.map(filesOf), { isRestored: true });
      assertEquals(found, { files: { ...filesOf(files), ".gitkeep": "" }, clashes });
    });
  }

  it("a change that has the time of the original", async () => {
    const prepare = (path: string) => Deno.utimeSync(join(path, "algo-2/a"), 1, 1);
    const { files } = await merged({ a: "1" }, ["", "a=longer"].map(filesOf), {
      isRestored: true,
      prepare,
    });
    assertEquals(files, { a: "longer" });
  });
});

suite("restored checkpoints", () => {
  it("are as old as the originals; it is noticed when one is read", async () => {
    await using place = await makeDirectory({ "target/a": "1", "target/d/b": "2" });
    const [target, copy] = [join(place.path, "target"), join(place.path, "copy")];
    const time = new Date("2026-01-02T03:04:05.678Z");
    await Deno.utime(join(target, "d/b"), time, time);
    const restored = await restore(target, copy);
    assertEquals(Deno.lstatSync(join(copy, "d/b")).mtime, time);
    await write(copy, { new: "3", a: "written in place" });
    await Deno.readTextFile(join(copy, "new"));
    assertEquals(await wereRead(restored), false);
    assertEquals(await Deno.readTextFile(join(copy, "d/b")), "2");
    assertEquals(await wereRead(restored), true);
    await Deno.remove(join(copy, "d/b"));
    await write(copy, { "d/b": "new" });
    assertEquals(await wereRead(restored), undefined);
    assertEquals(await namesIn(place.path), ["copy", "target"]);
  });

  it("may be of a directory that is not there", async () => {
    await using place = await makeDirectory();
    await restore(join(place.path, "target"), join(place.path, "written/copy"));
    assertEquals(await namesIn(join(place.path, "written/copy")), []);
  });
});

suite("one model, trained by each host", () => {
  for (
    const [hosts, expected] of [
      [["a=1 d/b=1", "a=2 d/b=2"], true],
      [["a=1", "a=1", "a=1"], true],
      [["a=1", ""], false],
      [["a=1", "b=1"], false],
      [["a/b=1", "a=1"], false],
      [["", ""], false],
      [[".gitkeep=1", ".gitkeep=1"], false],
      [["a=1"], false],
    ] as const
  ) {
    it(`${expected ? "is" : "is not"} ${hosts.join(", ")}`, async () => {
      await using place = await makeDirectory();
      const folders = hosts.map((_, index) => ({ path: join(place.path, `${index}`) }));
      for (const [index, { path }] of folders.entries()) {
        await Deno.mkdir(path);
        await write(path, filesOf(hosts[index]!));
      }
      assertEquals(await sameModel(folders), expected);
    });
  }
});

suite("a hostile tree", () => {
  it("leads nowhere else: links are compared by what they say, pipes are not opened", async () => {
    await using outside = await makeDirectory({ secret: "secret" });
    const program = `
out = ${JSON.stringify(outside.path)}
for host in "algo-1", "algo-2":
  os.chdir(host)
  os.symlink("/etc", "same")
  os.symlink(host, "other")
  os.symlink("loop", "loop")
  os.mkfifo("pipe")
  os.makedirs("d/e")
  os.symlink("../..", "d/e/up")
  open("d/new\\nline", "w").write(host)
  socket.socket(socket.AF_UNIX).bind("d/socket")
  os.chdir("..")
os.mkdir("algo-1/out")
open("algo-1/out/secret", "w").write("mine")
os.symlink(out, "algo-2/out")
os.symlink(out, "target/d")`;
    const prepare = (path: string) => python(path, program);
    const { clashes, files } = await merged({}, [{}, {}], { prepare });
    const paths = ["d/new\nline", "d/socket", "other", "out", "pipe"];
    assertEquals(clashes, paths.map((path) => `${path} algo-1 algo-2`));
    assertEquals(files, {
      "d/e/up": "-> ../..",
      "d/new\nline": "algo-2",
      "d/socket": "special",
      "loop": "-> loop",
      "other": "-> algo-2",
      "out": `-> ${outside.path}`,
      "pipe": "special",
      "same": "-> /etc",
    });
    assertEquals(await filesBelow(outside.path), { secret: "secret" });
  });

  it("may be deep, with directories that are closed", async () => {
    const deep = Array.from({ length: 100 }, (_, index) => `level-${index}`).join("/");
    const hosts = ["closed/in/a=1", "closed=2 one/in/a=2", "closed/in/c=3", "closed/in/c=4"];
    const { clashes, files } = await merged(
      {},
      hosts.map((words, index) => ({ ...filesOf(words), [`${deep}/a`]: `${index}` })),
      {
        prepare(path) {
          for (const host of ["algo-1", "algo-3", "algo-4"]) {
            for (const name of ["closed/in", "closed"]) Deno.chmodSync(join(path, host, name), 0);
          }
          Deno.chmodSync(join(path, "algo-2/one"), 0o500);
        },
        look(target) {
          for (const [path, mode] of [["one", 0o500], ["closed", 0], ["closed/in", 0]] as const) {
            assertEquals(Deno.lstatSync(join(target, path)).mode! & 0o7777, mode);
            Deno.chmodSync(join(target, path), 0o700);
          }
        },
      },
    );
    assertEquals(files, { ...filesOf("closed/in/c=4 one/in/a=2"), [`${deep}/a`]: "3" });
    assertEquals(clashes, [
      "closed algo-1 algo-2 algo-3 algo-4",
      "closed/in/c algo-3 algo-4",
      `${deep}/a algo-1 algo-2 algo-3 algo-4`,
    ]);
  });

  for (
    const [what, program] of [
      ["a name that is not UTF-8", 'open(b"algo-1/\\xff", "w")'],
      ["such a name beside its twin", 'open(b"algo-1/\\xff", "w"), open("algo-1/\\ufffd", "w")'],
      ["a file with the name of a directory that was there", 'open("algo-1/x", "w")'],
    ] as const
  ) {
    it(`keeps ${what}, and all else is merged`, async () => {
      await using place = await makeDirectory();
      const [target, own] = [join(place.path, "target"), join(place.path, "algo-1")];
      await write(place.path, filesOf("target/x/a=0 algo-1/a=1 algo-2/a=1"));
      python(place.path, program);
      const folders = ["algo-1", "algo-2"].map((host) => ({ host, path: join(place.path, host) }));
      const { hint } = await assertRejects(
        () => mergeHosts(target, folders, { isRestored: false }),
        MlcliError,
        `Not all that algo-1 wrote can be put into ${target}`,
      );
      assert(hint?.endsWith(own), hint);
      assertEquals({ ...listing(target), "\ufffd": "" }, { ...filesOf("a=1 x/a=0"), "\ufffd": "" });
      assertEquals((await namesIn(own)).length, 1);
    });
  }
});

type Tree = { readonly [name: string]: Tree | string };

/** A tree of few names, so that many are the same; a text is a file. */
function anyTree(random: () => number, depth: number): Tree {
  const names = ["a", "b", "c"].filter(() => random() < 0.5);
  return Object.fromEntries(names.map((name) => [
    name,
    depth > 0 && random() < 0.6 ? anyTree(random, depth - 1) : `${Math.floor(random() * 2)}`,
  ]));
}

/** Its files and its empty directories, as in a listing. */
function filesIn(tree: Tree, before = ""): Files {
  const found = Object.entries(tree).map(([name, inner]) =>
    typeof inner === "string" ? { [before + name]: inner } : filesIn(inner, `${before}${name}/`)
  );
  return Object.assign(found.length > 0 || before === "" ? {} : { [before]: "" }, ...found);
}

/** Puts one tree over another. */
function over(tree: Tree | string, other: Tree | string | undefined): Tree | string {
  if (typeof tree === "string" || typeof other !== "object") return tree;
  const inner = Object.entries(tree).map(([name, one]) => [name, over(one, other[name])] as const);
  return { ...other, ...Object.fromEntries(inner) };
}

suite("any trees of several hosts", () => {
  for (let seed = 1; seed <= 60; seed++) {
    it(`are put over each other, and what differs clashes: ${seed}`, async () => {
      let state = seed * 7919;
      const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
      const trees = Array.from({ length: 1 + seed % 4 }, () => anyTree(random, 3));
      const hosts = trees.map((tree) => filesIn(tree));
      const { files, clashes } = await merged({}, hosts);
      assertEquals(files, filesIn(trees.reduce<Tree>((all, tree) => over(tree, all) as Tree, {})));
      const paths = clashes.map((clash) => clash.split(" ", 1)[0]!);
      for (const path of paths) {
        const found = hosts.map((all) =>
          all[path] ?? Object.keys(all).some((name) => name.startsWith(`${path}/`))
        );
        assert(new Set(found.filter((one) => one !== false)).size > 1, path);
      }
      for (const [name, text] of hosts.flatMap((all) => Object.entries(all))) {
        const isClash = paths.some((path) => `${name}/`.startsWith(`${path}/`));
        if (!isClash && !name.endsWith("/")) assertEquals(files[name], text);
      }
    });
  }
});
