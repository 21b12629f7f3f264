import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import {
  type HostFolder,
  mergeHosts,
  type Written,
} from "../../../../runtime/local/hosts/merge.ts";
import { areOfEach } from "../../../../runtime/local/hosts/merged.ts";
import {
  removeUnchanged,
  restore,
  type Restored,
  wereRead,
} from "../../../../runtime/local/hosts/restored.ts";
import { contentOf, filesBelow, makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { python } from "../../../helpers/python.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Of `a=1 d/b=2`: files, and their texts, in a directory. `d/` is an empty one. */
function filesIn(directory: string, words: string): Readonly<Record<string, string>> {
  const files = words.split(" ").filter((word) => word !== "").map((word) => {
    const [name, text = ""] = word.split("=");
    return [`${directory}/${name}`, text];
  });
  return { [`${directory}/`]: "", ...Object.fromEntries(files) };
}

/** Has `target`, and a directory of each host. */
async function placeOf(before: string, hosts: readonly string[]) {
  const place = await makeDirectory(filesIn("target", before));
  const folders = hosts.map((_, index) => `algo-${index + 1}`)
    .map((host) => ({ host, path: join(place.path, host) }));
  for (const [index, { host }] of folders.entries()) {
    await place.write(filesIn(host, hosts[index]!));
  }
  return { ...place, target: join(place.path, "target"), folders };
}

/** Merges, and looks at what is there then. Returns paths, and the hosts that wrote there. */
async function merge(place: Awaited<ReturnType<typeof placeOf>>, expected: string) {
  const written = await mergeHosts(place.target, place.folders);
  assertEquals(await namesIn(place.path), ["target"]);
  await place.write(filesIn("expected", expected));
  assertEquals(await contentOf(place.target), await contentOf(join(place.path, "expected")));
  return clashesOf(written);
}

function clashesOf(written: readonly Written[]): readonly string[] {
  return written.filter(({ isClash }) => isClash)
    .map(({ path, hosts }) => [path, ...hosts].join(" ")).sort();
}

suite("what several hosts wrote", () => {
  for (
    const [what, before, hosts, files, clashes] of [
      ["is one host's", "", ["", "a=1 d/b=2 e/"], "a=1 d/b=2 e/", []],
      ["has other names", "", ["a=1", "b=2"], "a=1 b=2", []],
      ["is the same", "", ["d/a=1", "d/a=1"], "d/a=1", []],
      ["is not the same", "", ["d/a=1", "d/a=2"], "d/a=2", ["d/a algo-1 algo-2"]],
      ["is of two the same", "", ["a=1", "a=1", "a=22"], "a=22", ["a algo-1 algo-2 algo-3"]],
      ["is a file and a directory", "", ["a=1", "a/b=2"], "a/b=2", ["a algo-1 algo-2"]],
      ["is a directory and a file", "", ["a/b=2", "a=1"], "a=1", ["a algo-1 algo-2"]],
      ["is a directory again", "", ["a/b=1", "a=2", "a/c=3"], "a/c=3", ["a algo-1 algo-2 algo-3"]],
      ["takes the place of a file that was there", "a=0 b=0", ["a=1"], "a=1 b=0", []],
      ["comes into a directory that was there", "d/a=0", ["d/b=1", "d/a=2"], "d/a=2 d/b=1", []],
      ["is a directory for a file that was there", "a=0", ["a/b=1"], "a/b=1", []],
    ] as const
  ) {
    it(what, async () => {
      await using place = await placeOf(before, hosts);
      assertEquals(await merge(place, files), clashes);
    });
  }
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
      await using place = await placeOf("a=1 d/b=2 .gitkeep", hosts.map(() => ""));
      const { target, folders } = place;
      await Deno.utime(join(target, "a"), 1, 1);
      const copies: Restored[] = [];
      for (const [index, { host, path }] of folders.entries()) {
        await Deno.remove(path);
        copies.push(await restore(target, path));
        const words = hosts[index]!.split(" ");
        const gone = words.filter((word) => word.startsWith("-"));
        for (const word of gone) await Deno.remove(join(path, word.slice(1)), { recursive: true });
        const written = words.filter((word) => !gone.includes(word)).join(" ");
        await place.write(filesIn(host, written));
      }
      await removeUnchanged(target, copies);
      assertEquals(await merge(place, `${files} .gitkeep`), clashes);
    });
  }

  it("a link to what was a directory: nothing is removed behind it", async () => {
    await using place = await placeOf("d/b=2", [""]);
    const { target, folders } = place;
    const [{ path }] = folders as [HostFolder];
    await Deno.remove(path);
    const copy = await restore(target, path);
    python(path, 'os.rename("d", "best"); os.symlink("best", "d")');
    await removeUnchanged(target, [copy]);
    await mergeHosts(target, folders);
    assertEquals(await namesIn(target), ["best", "d"]);
    assertEquals(await Deno.readTextFile(join(target, "d/b")), "2");
  });
});

suite("restored checkpoints", () => {
  it("are as old as the originals; it is noticed when one is read", async () => {
    await using place = await makeDirectory({ "target/a": "1", "target/d/b": "2" });
    const [target, copy] = [join(place.path, "target"), join(place.path, "copy")];
    const time = new Date("2026-01-02T03:04:05.678Z");
    await Deno.utime(join(target, "d/b"), time, time);
    const restored = [await restore(target, copy)];
    assertEquals(Deno.lstatSync(join(copy, "d/b")).mtime, time);
    await place.write({ "copy/new": "3", "copy/a": "written in place" });
    await Deno.readTextFile(join(copy, "new"));
    assertEquals(await wereRead(restored), false);
    await Deno.readTextFile(join(copy, "d/b"));
    assertEquals(await wereRead(restored), true);
    await Deno.remove(join(copy, "d/b"));
    await place.write({ "copy/d/b": "new" });
    assertEquals(await wereRead(restored), undefined);
  });

  it("may be none", async () => {
    await using place = await makeDirectory();
    const copy = await restore(join(place.path, "target"), join(place.path, "copy"));
    assertEquals(await namesIn(copy.path), []);
    assertEquals([await wereRead([copy]), await wereRead([])], [undefined, undefined]);
  });
});

suite("one model, trained by each host", () => {
  for (
    const [hosts, expected] of [
      [["a=1 d/b=1", "a=2 d/b=2"], true],
      [["a=1", "b=1"], false],
      [["a/b=1", "a=1"], false],
      [["", ""], false],
      [["d/", "d/"], false],
    ] as const
  ) {
    it(`${expected ? "is" : "is not"} ${hosts.join(", ")}`, async () => {
      await using place = await placeOf("", hosts);
      const { target, folders } = place;
      assertEquals(areOfEach(await mergeHosts(target, folders), hosts.length), expected);
    });
  }
});

suite("a hostile tree", () => {
  it("leads nowhere else: links are compared by what they say, pipes are not opened", async () => {
    await using place = await placeOf("", ["", ""]);
    const { target, folders } = place;
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
    python(place.path, program);
    const clashes = clashesOf(await mergeHosts(target, folders));
    const paths = ["d/new\nline", "d/socket", "other", "out", "pipe"];
    assertEquals(clashes, paths.map((path) => `${path} algo-1 algo-2`));
    assertEquals(await namesIn(target), ["d", "loop", "other", "out", "pipe", "same"]);
    assertEquals(await namesIn(join(target, "d")), ["e", "new\nline", "socket"]);
    const links = ["d/e/up", "loop", "other", "out", "same"]
      .map((name) => Deno.readLinkSync(join(target, name)));
    assertEquals(links, ["../..", "loop", "algo-2", outside.path, "/etc"]);
    assertEquals(await filesBelow(outside.path), { secret: "secret" });
  });

  it("may be deep, with directories that are closed", async () => {
    const deep = Array.from({ length: 100 }, (_, index) => `level-${index}`).join("/");
    const closed = ["closed/in/a=1", "closed=2 one/in/a=2", "closed/in/c=3", "closed/in/c=4"];
    const hosts = closed.map((words, index) => `${words} ${deep}/a=${index}`);
    await using place = await placeOf("", hosts);
    for (const host of ["algo-1", "algo-3", "algo-4"]) {
      for (const name of ["closed/in", "closed"]) Deno.chmodSync(join(place.path, host, name), 0);
    }
    Deno.chmodSync(join(place.path, "algo-2/one"), 0o555);
    const clashes = await merge(place, `closed/in/c=4 one/in/a=2 ${deep}/a=3`);
    assertEquals(Deno.lstatSync(join(place.target, "one")).mode! & 0o777, 0o755);
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
      await using place = await placeOf("x/a=0", ["a=1", "a=1"]);
      const { target, folders } = place;
      python(place.path, program);
      const { hint } = await assertRejects(
        () => mergeHosts(target, folders),
        MlcliError,
        `Cannot merge all files of algo-1 into ${target}`,
      );
      assert(hint?.endsWith(folders[0]!.path), hint);
      const { "\ufffd": _twin, ...others } = await filesBelow(target);
      assertEquals(others, { "a": "1", "x/a": "0" });
      // Deno before 2.9 does not list such a name.
      await assertRejects(() => Deno.remove(folders[0]!.path), Error, "not empty");
    });
  }
});
