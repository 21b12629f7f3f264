import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import {
  changedBetween,
  fingerprintOf,
  type Identity,
  MOST_FILES,
  treeIn,
} from "../../../../runtime/local/watch/tree.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

const FILES = { "serve": "a", "lib/x.py": "b", "lib/deep/y.py": "c" };
const LATER = new Date("2030-01-01T00:00:00Z");

/** What is done to FILES, and what has changed then, by content and by times. */
const CASES: readonly (readonly [
  title: string,
  change: (path: (inside: string) => string) => Promise<void> | void,
  byContent: readonly string[],
  byTimes: readonly string[],
])[] = [
  ["nothing", () => {}, [], []],
  ["another content", (at) => Deno.writeTextFile(at("serve"), "aa"), ["serve"], ["serve"]],
  [
    "the same content, written again",
    (at) => Deno.utime(at("lib/x.py"), LATER, LATER),
    [],
    ["lib/x.py"],
  ],
  [
    "a new file in the place of another, as editors write",
    async (at) => {
      await Deno.writeTextFile(at(".#new"), "z");
      await Deno.rename(at(".#new"), at("lib/deep/y.py"));
      await Deno.utime(at("lib/deep/y.py"), LATER, LATER);
    },
    ["lib/deep/y.py"],
    ["lib/deep/y.py"],
  ],
  ["a file more", (at) => Deno.writeTextFile(at("lib/z"), ""), ["lib/z"], ["lib/z"]],
  ["a file less", (at) => Deno.remove(at("serve")), ["serve"], ["serve"]],
  ["a link", (at) => Deno.symlink("serve", at("l")), ["l"], ["l"]],
  [
    "what editors and Python keep beside the code",
    async (at) => {
      for (const name of [".serve.swp", "4913", "serve~", ".#serve", "#serve#", ".DS_Store"]) {
        await Deno.writeTextFile(at(name), "");
      }
      await Deno.mkdir(at("__pycache__"));
      await Deno.writeTextFile(at("__pycache__/serve.pyc"), "");
    },
    [],
    [],
  ],
];

suite("treeIn", () => {
  for (const [title, change, byContent, byTimes] of CASES) {
    for (const [identity, expected] of [["content", byContent], ["times", byTimes]] as const) {
      it(`by ${identity}: ${title}`, async () => {
        await using directory = await makeDirectory(FILES);
        const before = await look(directory.path, identity);
        await change((inside) => join(directory.path, inside));
        const after = await look(directory.path, identity);
        assertEquals(changedBetween(before, after), expected);
        const isSame = await fingerprintOf(before) === await fingerprintOf(after);
        assertEquals(isSame, expected.length === 0);
      });
    }
  }

  it("finds nothing where nothing is", async () => {
    const { files, folders, changed } = await look("/nonexistent", "content");
    assertEquals([files.size, folders, changed], [0, [], undefined]);
  });

  it("tells when something was written, and when something was removed", async () => {
    await using directory = await makeDirectory(FILES);
    await Deno.utime(join(directory.path, "lib/x.py"), LATER, LATER);
    assertEquals((await look(directory.path, "times")).changed, LATER);
    await Deno.utime(join(directory.path, "lib"), LATER, new Date("2031-01-01T00:00:00Z"));
    assertEquals((await look(directory.path, "times")).changed?.getFullYear(), 2031);
  });

  it("knows a large file by its times", async () => {
    await using directory = await makeDirectory({ weights: "x".repeat(300_000) });
    const before = await look(directory.path, "content");
    await Deno.utime(join(directory.path, "weights"), LATER, LATER);
    assertEquals(changedBetween(before, await look(directory.path, "content")), ["weights"]);
  });

  it("follows links inside the boundary, and does not wait for pipes", async () => {
    await using directory = await makeDirectory({ "a": "", "shared/x.py": "1" });
    await Deno.symlink("/", join(directory.path, "root"));
    await Deno.symlink("shared", join(directory.path, "lib"));
    await new Deno.Command("mkfifo", { args: [join(directory.path, "pipe")] }).output();
    const { files, folders } = await look(directory.path, "content");
    assertEquals([...files.keys()].sort(), ["a", "lib/x.py", "root", "shared/x.py"]);
    assertEquals(files.get("root"), "link /");
    assertEquals([...folders].sort(), ["", "lib", "shared"]);
  });

  it("does not look at more files than somebody edits", async () => {
    await using directory = await makeDirectory({});
    for (let number = 0; number <= MOST_FILES; number++) {
      Deno.symlinkSync("x", join(directory.path, `f${number}`));
    }
    assertEquals(await treeIn(directory.path, "times", directory.path), undefined);
  });

  it("gives the same files the same fingerprint, in whatever order they are found", async () => {
    const [one, other] = [["a", "1"], ["b", "2"]] as const;
    const print = (files: readonly (readonly [string, string])[]) =>
      fingerprintOf({ files: new Map(files) });
    assertEquals(await print([one, other]), await print([other, one]));
    assertEquals(await print([one, other]) === await print([one]), false);
  });
});

async function look(path: string, identity: Identity) {
  const tree = await treeIn(path, identity, path);
  if (tree === undefined) throw new Error("too many files");
  return tree;
}
