import { assert, assertEquals, assertRejects } from "@std/assert";
import { dirname, join } from "@std/path";
import { isPlaceholder } from "../../../../runtime/app/layout.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { removeTreeIfThere } from "../../../../runtime/files.ts";
import { type Clash, mergeHosts, sameModel } from "../../../../runtime/local/hosts/merge.ts";
import { restore, wereRead } from "../../../../runtime/local/hosts/restored.ts";
import { contentOf, filesBelow, makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

type Files = Readonly<Record<string, string>>;

/** Writes these below `algo-1`, `algo-2`, ... and `target`. Merges them. */
async function merged(
  target: Files,
  hosts: readonly Files[],
  { isRestored = false, before = (_path: string) => {} } = {},
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
      if (isRestored && !isPlaceholder(name) && isChanged(name)) {
        await Deno.remove(join(path, name));
        await Deno.remove(dirname(join(path, name))).catch(() => {});
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
  return { files: await filesBelow(join(place.path, "target")), clashes };
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
        "a/b": "1",
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
    await restore(target!, copy!);
    assertEquals(Deno.lstatSync(join(copy!, "d/b")).mtime, time);
    await Deno.writeTextFile(join(copy!, "new"), "3");
    await Deno.readTextFile(join(copy!, "new"));
    assertEquals(await wereRead(copy!), false);
    await Deno.readTextFile(join(copy!, "d/b"));
    assertEquals(await wereRead(copy!), true);
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
      assertEquals(sameModel(folders), expected);
    });
  }
});
