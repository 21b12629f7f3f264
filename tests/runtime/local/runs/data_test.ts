import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { dataOf } from "../../../../runtime/local/runs/data.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

const { signal } = new AbortController();

async function dataIn(directory: string) {
  return (await dataOf([{ name: "training", source: directory, boundary: directory }], signal))[
    "training"
  ]!;
}

suite("what a channel holds", () => {
  it("is the same wherever and whenever it was written", async () => {
    const files = { "a/b.csv": "1,2\n", "c": "" };
    await using one = await makeDirectory(files);
    await using other = await makeDirectory(files);
    await Deno.utime(join(other.path, "c"), 0, 0);
    const data = await dataIn(one.path);
    assertEquals([data.files, data.bytes, data.by], [2, 4, "contents"]);
    assertEquals(await dataIn(other.path), data);
  });

  const edits: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    "a content": (path) => Deno.writeTextFile(join(path, "a"), "2"),
    "a name": (path) => Deno.rename(join(path, "a"), join(path, "b")),
    "a file": (path) => Deno.writeTextFile(join(path, "b"), ""),
    "the last byte of a large file": async (path) => {
      using file = await Deno.open(join(path, "large"), { write: true });
      await file.seek(-1, Deno.SeekMode.End);
      await file.write(new Uint8Array([1]));
    },
  };
  for (const [title, edit] of Object.entries(edits)) {
    it(`is another after another ${title}`, async () => {
      await using directory = await makeDirectory({ a: "1", large: "0".repeat(9_000_000) });
      const before = await dataIn(directory.path);
      await edit(directory.path);
      assertEquals((await dataIn(directory.path)).hash === before.hash, false);
    });
  }

  it("is told by names, sizes and times where it is very much", async () => {
    await using directory = await makeDirectory({ a: "" });
    await Deno.truncate(join(directory.path, "a"), 256 * 1024 ** 2 + 1);
    const { by, bytes, hash } = await dataIn(directory.path);
    assertEquals([by, bytes], ["times", 256 * 1024 ** 2 + 1]);
    await Deno.utime(join(directory.path, "a"), 0, 0);
    assertEquals((await dataIn(directory.path)).hash === hash, false);
  });

  it("is told by names, sizes and times where there are very many files", async () => {
    const files = Array.from({ length: 5_001 }, (_, index) => [`f${index}`, ""] as const);
    await using directory = await makeDirectory(Object.fromEntries(files));
    const { files: count, by } = await dataIn(directory.path);
    assertEquals([count, by], [5_001, "times"]);
  });

  it("is told of links, too, wherever they lead", async () => {
    await using directory = await makeDirectory({ a: "1" });
    const before = await dataIn(directory.path);
    await Deno.symlink("loop", join(directory.path, "loop"));
    await Deno.symlink("/dev/zero", join(directory.path, "zero"));
    const { files, bytes, hash } = await dataIn(directory.path);
    assertEquals([files, bytes, hash === before.hash], [3, 1, false]);
  });

  it("is not looked for any more once the user interrupts", async () => {
    await using directory = await makeDirectory({ a: "1" });
    const reading = dataOf(
      [{ name: "x", source: directory.path, boundary: directory.path }],
      AbortSignal.abort(),
    );
    await assertRejects(() => reading, DOMException, "abort");
  });
});
