import { assert, assertEquals, assertRejects } from "@std/assert";
import { dirname, join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { removeTreeIfThere } from "../../../../runtime/files.ts";
import { type Clash, mergeHosts, sameModel } from "../../../../runtime/local/hosts/merge.ts";
import { restore, wereRead } from "../../../../runtime/local/hosts/restored.ts";
import { filesBelow, makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

type Files = Readonly<Record<string, string>>;

/** Writes these below `algo-1`, `algo-2`, ... and `target`. Merges them. */
async function merged(
  target: Files,
  hosts: readonly Files[],
  { isRestored = false, before = (_path: string) => {}, after = (_target: string) => {} } = {},
): Promise<{ readonly files: Files; readonly clashes: readonly Clash[] }> {
  await using place = await makeDirectory({ "target/": "" });
  const below = (folder: string, files: Files) =>
    place.write(Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]),
    ));
  await below("target", target);
  for (const name of Object.keys(target)) await Deno.utime(join(place.path, "target", name), 1, 1);
  const folders = hosts.map((_, index) => `algo-${index + 1}`)
    .map((host) => ({ host, path: join(place.path, host) }));
  for (const [index, files] of hosts.entries()) {
    const { host, path } = folders[index]!;
    if (isRestored) await restore(join(place.path, "target"), path);
    else await Deno.mkdir(path);
    const isChanged = (name: string) => !isRestored || files[name] !== target[name];
    for (const name of Object.keys(target)) {
      if (isRestored && isChanged(name)) {
        await Deno.remove(join(path, name));
        if (name.includes("/")) await Deno.remove(dirname(join(path, name))).catch(() => {});
      }
    }
    await below(
      host,
      Object.fromEntries(Object.entries(files).filter(([name]) => isChanged(name))),
    );
  }
  before(place.path);
  const clashes = await mergeHosts(join(place.path, "target"), folders, { isRestored });
  assertEquals(await namesIn(place.path), ["target"]);
  after(join(place.path, "target"));
  return { files: listing(join(place.path, "target")), clashes };
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

/** Runs Python in a directory, which can make anything. */
function python(directory: string, program: string): void {
  const code = `import os, socket\nos.chdir(${JSON.stringify(directory)})\n${program}`;
  const { success, stderr } = new Deno.Command("python3", { args: ["-c", code] }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

suite("what several hosts wrote", () => {
  for (
    const [what, target, hosts, files, clashes] of [
      ["is nothing", {}, [{}, {}], {}, []],
      ["is one host's", {}, [{}, { "a": "1", "d/b": "2" }], { "a": "1", "d/b": "2" }, []],
      ["has other names", {}, [{ a: "1" }, { b: "2" }], { a: "1", b: "2" }, []],
      ["is the same", {}, [{ "d/a": "1" }, { "d/a": "1" }], { "d/a": "1" }, []],
      ["has other bytes of one size", {}, [{ "d/a": "1" }, { "d/a": "2" }], { "d/a": "2" }, [
        "d/a algo-1 algo-2",
      ]],
      ["is one host's, and what two others wrote", {}, [{ a: "1" }, { a: "1" }, { a: "22" }], {
        a: "22",
      }, ["a algo-1 algo-2 algo-3"]],
      ["is a file and a directory", {}, [{ a: "1" }, { "a/b": "2" }], { "a/b": "2" }, [
        "a algo-1 algo-2",
      ]],
      ["is a directory and a file", {}, [{ "a/b": "2" }, { a: "1" }], { a: "1" }, [
        "a algo-1 algo-2",
      ]],
      ["is a file between two directories", {}, [{ "a/b": "1" }, { a: "2" }, { "a/c": "3" }], {
        "a/c": "3",
      }, ["a algo-1 algo-2 algo-3"]],
      ["takes the place of an earlier file", { a: "0", b: "0" }, [{ a: "1" }], {
        a: "1",
        b: "0",
      }, []],
      ["comes into an earlier directory", { "d/a": "0" }, [{ "d/b": "1" }, { "d/a": "2" }], {
        "d/a": "2",
        "d/b": "1",
      }, []],
      ["is a directory for an earlier file", { a: "0" }, [{ "a/b": "1" }], { "a/b": "1" }, []],
      [
        "are placeholders",
        { ".gitignore": "0" },
        [{ ".gitignore": "1", ".gitkeep": "1" }, {
          ".gitkeep": "2",
        }],
        { ".gitignore": "0", ".gitkeep": "2" },
        [],
      ],
      ["has an odd name", {}, [{ "a\nb": "1" }, { "a\nb": "2" }], { "a\nb": "2" }, [
        "a\nb algo-1 algo-2",
      ]],
    ] as readonly (readonly [string, Files, readonly Files[], Files, readonly string[]])[]
  ) {
    it(what, async () => {
      const found = await merged(target, hosts);
      assertEquals(found.files, files);
      assertEquals(found.clashes.map(({ path, hosts }) => [path, ...hosts].join(" ")), clashes);
    });
  }

  it("may be in a directory that is not there: nothing", async () => {
    await using place = await makeDirectory({ "algo-1/a": "1" });
    const folders = ["algo-1", "algo-2"].map((host) => ({ host, path: join(place.path, host) }));
    const target = join(place.path, "new/target");
    assertEquals(await mergeHosts(target, folders, { isRestored: true }), []);
    assertEquals(await filesBelow(target), { a: "1" });
  });
});
suite("what several hosts made of restored checkpoints", () => {
  const BOTH = { a: "1", "d/b": "2" };
  for (
    const [what, hosts, files, clashes] of [
      ["no changes", [BOTH, BOTH], BOTH, []],
      ["one change", [BOTH, { ...BOTH, a: "9" }, BOTH], { ...BOTH, a: "9" }, []],
      ["the same change", [{ ...BOTH, a: "9" }, { ...BOTH, a: "9" }], { ...BOTH, a: "9" }, []],
      ["other changes", [{ ...BOTH, a: "8" }, { ...BOTH, a: "9" }], { ...BOTH, a: "9" }, [
        "a algo-1 algo-2",
      ]],
      ["new files", [{ ...BOTH, c: "1" }, { ...BOTH, "d/e": "2" }], {
        ...BOTH,
        c: "1",
        "d/e": "2",
      }, []],
      ["a deletion", [{ "d/b": "2" }, BOTH], { "d/b": "2" }, []],
      ["a deletion of a directory", [BOTH, { a: "1" }], { a: "1" }, []],
      ["nothing left", [{}, {}], {}, []],
      ["a deletion and a change", [{ "d/b": "2" }, { ...BOTH, a: "9" }], { ...BOTH, a: "9" }, []],
      ["a file for a directory", [{ a: "1", d: "9" }, { a: "1" }], { a: "1", d: "9" }, []],
      ["a directory for a file", [BOTH, { "a/c": "9", "d/b": "2" }], {
        "a/c": "9",
        "d/b": "2",
      }, []],
    ] as readonly (readonly [string, readonly Files[], Files, readonly string[]])[]
  ) {
    it(what, async () => {
      const target = { ...BOTH, ".gitkeep": "" };
      const found = await merged(target, hosts, { isRestored: true });
      assertEquals(found.files, { ...files, ".gitkeep": "" });
      assertEquals(found.clashes.map(({ path, hosts }) => [path, ...hosts].join(" ")), clashes);
    });
  }

  it("a change that has the time of the original", async () => {
    const before = (path: string) => Deno.utimeSync(join(path, "algo-2/a"), 1, 1);
    const hosts = [BOTH, { ...BOTH, a: "longer" }];
    assertEquals((await merged(BOTH, hosts, { isRestored: true, before })).files, hosts[1]);
  });
});

suite("restored checkpoints", () => {
  it("are copies as old as the originals; it is noticed when one is read", async () => {
    await using place = await makeDirectory({ "target/a": "1", "target/d/b": "2" });
    const [target, copy] = ["target", "copy"].map((name) => join(place.path, name));
    const time = new Date("2026-01-02T03:04:05.678Z");
    await Deno.utime(join(target!, "d/b"), time, time);
    await restore(target!, copy!);
    assertEquals(await filesBelow(copy!), { "a": "1", "d/b": "2" });
    // That was a read.
    await removeTreeIfThere(copy!);
    const restored = await restore(target!, copy!);
    assertEquals(Deno.lstatSync(join(copy!, "d/b")).mtime, time);
    await Deno.writeTextFile(join(copy!, "new"), "3");
    await Deno.readTextFile(join(copy!, "new"));
    await Deno.writeTextFile(join(copy!, "a"), "written in place");
    assertEquals(await wereRead(restored), false);
    await Deno.readTextFile(join(copy!, "d/b"));
    assertEquals(await wereRead(restored), true);
    await Deno.remove(join(copy!, "d/b"));
    await Deno.writeTextFile(join(copy!, "d/b"), "new");
    assertEquals(await wereRead(restored), undefined);
    assertEquals(await namesIn(place.path), ["copy", "target"]);
  });

  it("may be of a directory that is not there", async () => {
    await using place = await makeDirectory();
    await restore(join(place.path, "target"), join(place.path, "copy"));
    assertEquals(await namesIn(join(place.path, "copy")), []);
  });
});

suite("one model, trained by each host", () => {
  for (
    const [hosts, expected] of [
      [[{ "a": "1", "d/b": "1" }, { "a": "2", "d/b": "2" }], true],
      [[{ a: "1" }, { a: "1" }, { a: "1" }], true],
      [[{ a: "1" }, {}], false],
      [[{ a: "1" }, { b: "1" }], false],
      [[{ "a/b": "1" }, { a: "1" }], false],
      [[{}, {}], false],
      [[{ ".gitkeep": "" }, { ".gitkeep": "" }], false],
      [[{ a: "1" }], false],
    ] as readonly (readonly [readonly Files[], boolean])[]
  ) {
    it(`${expected ? "is" : "is not"} ${JSON.stringify(hosts)}`, async () => {
      await using place = await makeDirectory();
      for (const [index, files] of hosts.entries()) {
        await place.write({
          [`${index}/`]: "",
          ...Object.fromEntries(
            Object.entries(files).map(([name, text]) => [`${index}/${name}`, text]),
          ),
        });
      }
      const folders = hosts.map((_, index) => ({ path: join(place.path, `${index}`) }));
      assertEquals(await sameModel(folders), expected);
    });
  }
});

suite("a hostile tree", () => {
  it("leads nowhere else: links are compared by what they say, pipes are not opened", async () => {
    await using outside = await makeDirectory({ secret: "secret" });
    const make = (path: string, ...[first, second]: readonly [string, string]) =>
      python(
        path,
        `for host, target in (("algo-1", ${JSON.stringify(first)}), ("algo-2", ${
          JSON.stringify(second)
        })):
  os.chdir(host)
  os.symlink("/etc", "same")
  os.symlink(target, "other")
  os.symlink("loop", "loop")
  os.symlink(${JSON.stringify(outside.path)}, "out")
  os.mkfifo("pipe")
  os.makedirs("d/e")
  os.symlink("../..", "d/e/up")
  socket.socket(socket.AF_UNIX).bind("d/socket")
  os.chdir("..")
os.mkdir("algo-1/out2"), os.symlink(${JSON.stringify(outside.path)}, "algo-2/out2")
open("algo-1/out2/secret", "w").write("mine")
os.symlink(${JSON.stringify(outside.path)}, "target/d")`,
      );
    const { clashes, files } = await merged({}, [{}, {}], {
      before: (path) => make(path, "a", "b"),
    });
    assertEquals(clashes.map(({ path }) => path).sort(), ["d/socket", "other", "out2", "pipe"]);
    assertEquals(files, {
      "d/e/up": "-> ../..",
      "d/socket": "special",
      "loop": "-> loop",
      "other": "-> b",
      "out": `-> ${outside.path}`,
      "out2": `-> ${outside.path}`,
      "pipe": "special",
      "same": "-> /etc",
    });
    assertEquals(await filesBelow(outside.path), { secret: "secret" });
  });

  it("may be deep, with directories that are closed", async () => {
    const deep = Array.from({ length: 100 }, (_, index) => `level-${index}`).join("/");
    const hosts: readonly Files[] = [
      { [`${deep}/a`]: "1", "closed/in/a": "1", "closed/b": "1" },
      {
        [`${deep}/a`]: "2",
        "closed": "2",
        "one/in/a": "2",
      },
      { "closed/in/c": "3" },
      { "closed/in/c": "4" },
    ];
    const close = (path: string) => {
      for (const host of ["algo-1", "algo-3", "algo-4"]) {
        Deno.chmodSync(join(path, host, "closed/in"), 0);
        Deno.chmodSync(join(path, host, "closed"), 0);
      }
      Deno.chmodSync(join(path, "algo-2/one"), 0o500);
    };
    const { clashes, files } = await merged({}, hosts, {
      before: close,
      after(target) {
        for (const [path, mode] of [["one", 0o500], ["closed", 0], ["closed/in", 0]] as const) {
          assertEquals(Deno.lstatSync(join(target, path)).mode! & 0o7777, mode);
          Deno.chmodSync(join(target, path), 0o700);
        }
      },
    });
    assertEquals(files, { [`${deep}/a`]: "2", "closed/in/c": "4", "one/in/a": "2" });
    assertEquals(clashes.map(({ path }) => path).sort(), ["closed", "closed/in/c", `${deep}/a`]);
  });

  for (
    const [what, target, program] of [
      ["a name that is not UTF-8", {}, 'open(b"algo-1/\\xff", "w")'],
      [
        "such a name beside its twin",
        {},
        'open(b"algo-1/\\xff", "w"), open("algo-1/\\ufffd", "w")',
      ],
      ["a file with the name of an earlier directory", { "x/a": "0" }, 'open("algo-1/x", "w")'],
    ] as const
  ) {
    it(`keeps ${what}, and all else is merged`, async () => {
      await using place = await makeDirectory({ "algo-1/a": "1", "algo-2/a": "1" });
      await place.write(
        Object.fromEntries(
          Object.entries(target).map(([name, text]) => [`target/${name}`, text]),
        ),
      );
      python(place.path, program);
      const folders = ["algo-1", "algo-2"].map((host) => ({ host, path: join(place.path, host) }));
      const { hint } = await assertRejects(
        () => mergeHosts(join(place.path, "target"), folders, { isRestored: false }),
        MlcliError,
        `Not all that algo-1 wrote can be put into ${join(place.path, "target")}`,
      );
      assert(hint?.endsWith(join(place.path, "algo-1")), hint);
      const { a, ...others } = listing(join(place.path, "target"));
      assertEquals(a, "1");
      assertEquals({ ...others, ...target }, others);
      assertEquals((await namesIn(join(place.path, "algo-1"))).length, 1);
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

/** The same with paths; an empty directory has a slash at its end. */
function filesOf(tree: Tree, before = ""): Files {
  const found = Object.entries(tree).map(([name, inner]) =>
    typeof inner === "string" ? { [before + name]: inner } : filesOf(inner, `${before}${name}/`)
  );
  return Object.assign(found.length > 0 || before === "" ? {} : { [before]: "" }, ...found);
}

/** Puts one tree over another. */
function over(tree: Tree, other: Tree | string | undefined): Tree {
  if (other === undefined || typeof other === "string") return tree;
  return {
    ...other,
    ...Object.fromEntries(
      Object.entries(tree).map(([name, inner]) => [
        name,
        typeof inner === "string" ? inner : over(inner, other[name]),
      ]),
    ),
  };
}

/** Numbers from 0 to 1 that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

suite("any trees of several hosts", () => {
  for (let seed = 1; seed <= 60; seed++) {
    it(`are put over each other, in the order of the hosts: ${seed}`, async () => {
      const random = numbers(seed * 7919);
      const trees = Array.from({ length: 1 + seed % 4 }, () => anyTree(random, 3));
      const { files, clashes } = await merged({}, trees.map((tree) => filesOf(tree)));
      assertEquals(files, filesOf(trees.reduce((all, tree) => over(tree, all), {})));
      // What does not clash is there as its host wrote it, and nothing that clashes is the same.
      for (const [index, tree] of trees.entries()) {
        for (const [name, text] of Object.entries(filesOf(tree))) {
          const clash = clashes.find(({ path }) => `${name}/`.startsWith(`${path}/`));
          if (clash?.path === name) assert(clash.hosts.includes(`algo-${index + 1}`));
          else if (clash === undefined && !name.endsWith("/")) assertEquals(files[name], text);
        }
      }
      for (const { path, hosts } of clashes) {
        const found = hosts.map((host) => filesOf(trees[Number(host.slice(5)) - 1]!)[path]);
        assert(new Set(found).size > 1, path);
      }
    });
  }
});
