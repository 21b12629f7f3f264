import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { layShard } from "../../../../runtime/local/hosts/shards.ts";
import { filesBelow, makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

const FILES = { "a": "1", "b/c": "2", "b/d/e": "3", "b.txt": "4", "\uffe6": "5", "\u{1f600}": "6" };

/** The paths in a directory of the files that are no links, sorted. */
function filesIn(folder: string, before = ""): readonly string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory, isFile }) =>
    isDirectory ? filesIn(join(folder, name), `${before}${name}/`) : isFile ? [before + name] : []
  ).sort();
}

suite("a host's shard of a channel", () => {
  for (
    const [hosts, expected] of [
      [1, [["a", "b.txt", "b/c", "b/d/e", "\uffe6", "\u{1f600}"]]],
      // "b.txt" comes before "b/c", and "\uffe6" before "\u{1f600}", as in S3.
      [2, [["a", "b/c", "\uffe6"], ["b.txt", "b/d/e", "\u{1f600}"]]],
      [4, [["a", "\uffe6"], ["b.txt", "\u{1f600}"], ["b/c"], ["b/d/e"]]],
      [7, [["a"], ["b.txt"], ["b/c"], ["b/d/e"], ["\uffe6"], ["\u{1f600}"], []]],
    ] as const
  ) {
    it(`of ${hosts} has the files whose turn it is, in the order of S3's keys`, async () => {
      await using place = await makeDirectory();
      const source = join(place.path, "data");
      await place.write(
        Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`data/${name}`, text])),
      );
      await place.write({ "data/.gitkeep": "", "data/empty/": "" });
      for (const [index, names] of expected.entries()) {
        const to = join(place.path, `${index}`);
        assertEquals(await layShard(source, to, hosts, index), names.length);
        const wanted = Object.fromEntries(names.map((name) => [name, FILES[name]]));
        assertEquals(await filesBelow(to), wanted);
        // No directory without a file.
        const folders = Array.from(Deno.readDirSync(to)).filter(({ isDirectory }) => isDirectory);
        assertEquals(folders.length, names.some((name) => name.startsWith("b/")) ? 1 : 0);
      }
    });
  }

  it("has the user's own files, as they are, in directories that everybody may read", async () => {
    await using place = await makeDirectory({ "data/sub/private": "1", "data/b": "2" });
    const [source, to] = [join(place.path, "data"), join(place.path, "to")];
    Deno.chmodSync(join(source, "sub"), 0o700);
    Deno.chmodSync(join(source, "sub/private"), 0o600);
    const umask = Deno.umask(0o077);
    try {
      await layShard(source, to, 1, 0);
    } finally {
      Deno.umask(umask);
    }
    const infoOf = (folder: string) => Deno.lstatSync(join(folder, "sub/private"));
    assertEquals([infoOf(to).ino, infoOf(to).mode! & 0o777], [infoOf(source).ino, 0o600]);
    const modes = ["", "sub"].map((path) => Deno.lstatSync(join(to, path)).mode! & 0o777);
    assertEquals(modes, [0o755, 0o755]);
  });

  it("has links to files in the channel as files, and other links as links, on each host", async () => {
    await using place = await makeDirectory({ "data/a": "1", "data/sub/b": "2", "secret": "3" });
    const source = join(place.path, "data");
    const links = {
      "in": "sub/b",
      "sub/up": "../a",
      "sub/out": "../../secret",
      "etc": "/etc",
      "circle": "sub/..",
      "itself": "itself",
      "nowhere": "gone",
    };
    for (const [name, target] of Object.entries(links)) {
      Deno.symlinkSync(target, join(source, name));
    }
    await new Deno.Command("mkfifo", { args: [join(source, "pipe")] }).output();
    const [first, second] = ["1", "2"].map((name) => join(place.path, name));
    assertEquals(await layShard(source, first!, 2, 0), 2);
    assertEquals(await layShard(source, second!, 2, 1), 2);
    for (const [folder, here] of [[first!, "a sub/b"], [second!, "in sub/up"]] as const) {
      assertEquals(filesIn(folder), here.split(" "));
      for (const [name, target] of Object.entries(links).slice(2)) {
        assertEquals(Deno.readLinkSync(join(folder, name)), target);
      }
    }
  });

  it("is of a channel that a link leads to", async () => {
    await using place = await makeDirectory({ "data/a": "1" });
    Deno.symlinkSync("data", join(place.path, "link"));
    assertEquals(await layShard(join(place.path, "link"), join(place.path, "to"), 1, 0), 1);
  });

  it("cannot lie in the channel", async () => {
    await using place = await makeDirectory({ "a": "1" });
    await assertRejects(
      () => layShard(place.path, join(place.path, "to"), 2, 0),
      MlcliError,
      "holds the directory of the run itself",
    );
  });
});
