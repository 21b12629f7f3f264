import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { layShard } from "../../../../runtime/local/hosts/shards.ts";
import { contentOf, makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { python } from "../../../helpers/python.ts";
import { it, suite } from "../../../helpers/suite.ts";

const FILES = ["a", "b/c", "b/d/e", "b.txt", "\uffe6", "\u{1f600}"];

/** Files in a directory that hold their names. */
function filesOf(directory: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${directory}/${name}`, name]));
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
      await using place = await makeDirectory({ "data/.gitkeep": "", "data/empty/": "" });
      await place.write(filesOf("data", FILES));
      for (const [index, names] of expected.entries()) {
        const to = join(place.path, `${index}`);
        assertEquals(await layShard(join(place.path, "data"), to, hosts, index), names.length);
        // Nor a directory without a file.
        await place.write({ [`wanted/${index}/`]: "", ...filesOf(`wanted/${index}`, names) });
        assertEquals(await contentOf(to), await contentOf(join(place.path, `wanted/${index}`)));
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
    const program = `
for name, to in (("in", "sub/b"), ("sub/up", "../a"), ("out", "../secret"), ("circle", "."), ("gone", "x")):
  os.symlink(to, "data/" + name)
os.mkfifo("data/pipe")
os.symlink("data", "channel")`;
    python(place.path, program);
    for (const [index, files] of [["a", "sub/b"], ["in", "sub/up"]].entries()) {
      const to = join(place.path, `${index}`);
      assertEquals(await layShard(join(place.path, "channel"), to, 2, index), 2);
      assertEquals(files.map((name) => Deno.lstatSync(join(to, name)).isFile), [true, true]);
      const others = (await namesIn(to)).filter((name) => !files.includes(name));
      assertEquals(others, ["circle", "gone", "out", "sub"]);
      const links = ["circle", "gone", "out"].map((name) => Deno.readLinkSync(join(to, name)));
      assertEquals(links, [".", "x", "../secret"]);
    }
  });

  it("cannot lie in the channel", async () => {
    await using place = await makeDirectory({ "a": "1" });
    await assertRejects(
      () => layShard(place.path, join(place.path, "to"), 2, 0),
      MlcliError,
      "(--shard): this run writes into it",
    );
  });
});
