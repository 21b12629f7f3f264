import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { isSystemError, MlcliError } from "../../runtime/errors.ts";
import {
  isDirectory,
  isFile,
  LARGEST_TEXT,
  lstatIfThere,
  makeDirectory as createDirectory,
  readTextFile,
  realPathOf,
  removeIfThere,
  removeTreeIfThere,
  statIfThere,
} from "../../runtime/files.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { it, suite } from "../helpers/suite.ts";

async function kinds() {
  const directory = await makeDirectory({ file: "text", "full/deep/file": "", "empty/": "" });
  const at = (name: string): string => join(directory.path, name);
  for (
    const [name, target] of [
      ["link", "file"],
      ["dangling", "nothing/at/all"],
      ["absolute", at("nothing")],
      ["folder", "full"],
      ["chain", "dangling"],
      ["up", "../nothing"],
      ["circle", "circle"],
      ["shortcut", "full/deep"],
      ["full/deep/out", "../gone"],
      ["self", "."],
      ["climb", "self/../gone"],
      ["through", "new/../self/gone"],
    ] as const
  ) {
    await Deno.symlink(target, at(name));
  }
  return { at, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

/** What is at a path: itself, and what it leads to. */
const KINDS: readonly (readonly [name: string, itself?: string, target?: string])[] = [
  ["file", "file", "file"],
  ["full", "directory", "directory"],
  ["link", "link", "file"],
  ["folder", "link", "directory"],
  ["folder/deep", "directory", "directory"],
  ["dangling", "link", undefined],
  ["nothing"],
  ["nothing/at/all"],
  ["file/below"],
];

function kindOf(info: Deno.FileInfo | undefined): string | undefined {
  if (!info) return undefined;
  return info.isSymlink ? "link" : info.isDirectory ? "directory" : "file";
}

suite("statIfThere and lstatIfThere", () => {
  for (const [name, itself, target] of KINDS) {
    it(`${name} is ${itself ?? "not there"}, and leads to ${target ?? "nothing"}`, async () => {
      await using directory = await kinds();
      assertEquals(kindOf(await lstatIfThere(directory.at(name))), itself);
      assertEquals(kindOf(await statIfThere(directory.at(name))), target);
      assertEquals(await isFile(directory.at(name)), target === "file");
      assertEquals(await isDirectory(directory.at(name)), target === "directory");
    });
  }

  it("what the system refuses otherwise is an error", async () => {
    await using directory = await kinds();
    for (const path of [directory.at("circle"), directory.at("x".repeat(300))]) {
      await assertRejects(() => statIfThere(path), Error, "os error");
      assertEquals([await isFile(path), await isDirectory(path)], [false, false]);
    }
  });
});

suite("removeIfThere and removeTreeIfThere", () => {
  /** What each removes of what is there, and whether a directory has to be empty. */
  const rows = [
    ["file", "file", true],
    ["link", "link", true],
    ["folder", "link", true],
    ["dangling", "link", true],
    ["empty", "directory", true],
    ["full", "directory", false],
    ["nothing/at/all", undefined, true],
    ["file/below", undefined, true],
  ] as const;
  for (const [name, kind, isEmpty] of rows) {
    it(`${name}, ${kind ?? "not there"}: ${isEmpty ? "both" : "the second alone"}`, async () => {
      for (const remove of [removeIfThere, removeTreeIfThere]) {
        await using directory = await kinds();
        const path = directory.at(name);
        const work = () => remove(path);
        if (isEmpty || remove === removeTreeIfThere) await work();
        else await assertRejects(work, Error, "os error");
        const isKept = !isEmpty && remove === removeIfThere;
        assertEquals(kindOf(await lstatIfThere(path)), isKept ? kind : undefined);
        // What a link leads to stays.
        if (kind !== "file") assertEquals(await Deno.readTextFile(directory.at("file")), "text");
        if (kind === "link") await Deno.stat(directory.at("full/deep/file"));
      }
    });
  }
});

suite("makeDirectory", () => {
  for (const name of ["empty", "full", "folder", "nothing/at/all"]) {
    it(`${name} is there then`, async () => {
      await using directory = await kinds();
      await createDirectory(directory.at(name));
      assertEquals(await isDirectory(directory.at(name)), true);
    });
  }

  for (const name of ["file", "link", "dangling", "file/below"]) {
    it(`${name} has something else in its place`, async () => {
      await using directory = await kinds();
      const work = () => createDirectory(directory.at(name), "SHOWN");
      const { message, hint, cause } = await assertRejects(work, MlcliError);
      assertMatch(message, /^Cannot create SHOWN: [^()]+$/);
      assertEquals(
        hint,
        "Check that you can write to the directory, and that no file has the same name",
      );
      assertEquals(cause instanceof Error, true);
      // Who names nothing leaves that to where errors are shown.
      const unnamed = await assertRejects(() => createDirectory(directory.at(name)), Error);
      assertEquals(isSystemError(unnamed), true);
    });
  }
});

const MIB = 1024 ** 2;

suite("readTextFile", () => {
  it("reads a file of the largest size, and links", async () => {
    assertEquals(LARGEST_TEXT, MIB);
    await using directory = await makeDirectory({ file: "x".repeat(MIB), empty: "" });
    await Deno.symlink("file", join(directory.path, "link"));
    for (const [name, length] of [["file", MIB], ["link", MIB], ["empty", 0]] as const) {
      assertEquals((await readTextFile(join(directory.path, name), MIB)).length, length);
    }
  });

  it("says why it does not read", async () => {
    await using directory = await makeDirectory({ large: "x".repeat(MIB + 1), "folder/": "" });
    for (
      const [path, most, reason] of [
        [join(directory.path, "large"), MIB, "Is larger than 1 MiB"],
        [join(directory.path, "large"), MIB / 2, "Is larger than 512 KiB"],
        [join(directory.path, "folder"), MIB, "Is a directory"],
        ["/dev/zero", MIB, "Is not a regular file"],
      ] as const
    ) {
      const error = await assertRejects(() => readTextFile(path, most), Error);
      assertEquals(error.message, reason);
    }
    const missing = join(directory.path, "missing");
    await assertRejects(() => readTextFile(missing, MIB), Deno.errors.NotFound);
  });

  it("does not read what the kernel makes up", async () => {
    if (Deno.build.os === "linux") assertEquals(await readTextFile("/proc/version", MIB), "");
  });
});

suite("realPathOf", () => {
  const rows = [
    ["file", "file"],
    ["link", "file"],
    ["full/../link", "file"],
    ["nothing", "nothing"],
    ["nothing/at/all", "nothing/at/all"],
    ["folder/new/file", "full/new/file"],
    ["dangling", "nothing/at/all"],
    ["dangling/below", "nothing/at/all/below"],
    ["absolute", "nothing"],
    ["absolute/below", "nothing/below"],
    ["chain", "nothing/at/all"],
    ["folder/deep/../../chain/x", "nothing/at/all/x"],
    ["file/below", "file/below"],
    ["up", "../nothing"],
    ["shortcut/out", "full/gone"],
    ["climb", "../gone"],
  ] as const;
  for (const [name, real] of rows) {
    it(`${name} is ${real}`, async () => {
      await using directory = await kinds();
      assertEquals(await realPathOf(directory.at(name)), directory.at(real));
    });
  }

  it("of the top is the top", async () => assertEquals(await realPathOf("/"), "/"));

  it("follows so many links, and no more", async () => {
    await using directory = await kinds();
    assertEquals(await realPathOf(directory.at("link"), 0), directory.at("file"));
    assertEquals(await realPathOf(directory.at("chain"), 1), directory.at("dangling"));
    assertEquals(await realPathOf(directory.at("chain"), 2), directory.at("nothing/at/all"));
  });

  it("links in a circle are the system's error", async () => {
    await using directory = await kinds();
    await assertRejects(() => realPathOf(directory.at("circle")), Error, "os error");
  });

  it("of a link through the directory above one that does not exist is an error", async () => {
    await using directory = await kinds();
    const words = `A link points through ${directory.at("new")}/.., which does not exist`;
    await assertRejects(() => realPathOf(directory.at("through")), MlcliError, words);
  });
});
