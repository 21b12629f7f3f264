import { assertEquals, assertThrows } from "@std/assert";
import type { Header } from "tar-stream";
import { ArchiveCheck, Refusal, unpackedOf } from "../../../runtime/archive/entries.ts";
import { it, suite } from "../../helpers/suite.ts";

function header(more: Partial<Header>): Header {
  return { name: "m", type: "file", mode: 0o644, pax: null, ...more } as Header;
}

const unpacked = (more: Partial<Header>, separator = "/") => unpackedOf(header(more), separator);

suite("an entry of a model's archive", () => {
  for (
    const [name, path] of [
      ["m", ["m"]],
      ["./m", ["m"]],
      ["a//b/./c", ["a", "b", "c"]],
      ["..a/b..", ["..a", "b.."]],
      ["a\\..\\b: c", ["a\\..\\b: c"]],
      ["ü/\u202e", ["ü", "\u202e"]],
    ] as const
  ) {
    it(`called ${JSON.stringify(name)} lies at ${path.join(" ")}`, () => {
      assertEquals(unpacked({ name }).path, path);
    });
  }

  for (const name of [".", "./", "./.", "/"]) {
    it(`called ${name} is the directory itself, and may not be anything else`, () => {
      assertEquals(unpacked({ name, type: "directory" }).path, []);
      assertThrows(() => unpacked({ name }), Refusal, "is the archive's root, but not a directory");
    });
  }

  for (
    const [name, words] of [
      ["", "An entry has no name"],
      ["/etc/passwd", "/etc/passwd is an absolute path"],
      ["//m", "//m is an absolute path"],
      ["..", ".. points outside the archive"],
      ["../m", "../m points outside the archive"],
      ["a/../m", "a/../m points outside the archive"],
      ["a/..", "a/.. points outside the archive"],
      ["a\0b", "has a NUL byte in its name"],
      ["a\ufffdb", "has a name that is not UTF-8"],
      [`/${"x".repeat(200)}`, `/${"x".repeat(99)}... is an absolute path`],
    ] as const
  ) {
    it(`called ${JSON.stringify(name).slice(0, 40)} is refused`, () => {
      const error = assertThrows(() => unpacked({ name }), Refusal, words);
      assertEquals(error.hint?.includes("pack the model again"), true);
      assertThrows(() => unpacked({ name, type: "directory" }), Refusal, words);
      if (name === "") return;
      assertThrows(() => unpacked({ type: "link", linkname: name }), Refusal, words);
    });
  }

  for (const name of ["..\\m", "C:m", "a\\b", "m:stream"]) {
    it(`called ${name} is refused on Windows alone`, () => {
      assertThrows(() => unpacked({ name }, "\\"), Refusal, "is not a valid name on Windows");
      assertThrows(
        () => unpacked({ type: "symlink", linkname: name }, "\\"),
        Refusal,
        "is not a valid name on Windows",
      );
      assertEquals(unpacked({ name }).path, [name]);
    });
  }

  for (
    const [type, mode, expected] of [
      ["file", 0o644, 0o644],
      ["file", 0o7777, 0o777],
      ["contiguous-file", 0o4755, 0o755],
      ["file", 0, 0o600],
      ["directory", 0o2755, 0o755],
      ["directory", 0o1000, 0o700],
    ] as const
  ) {
    it(`of the kind ${type} with the mode ${mode.toString(8)} gets ${expected.toString(8)}`, () => {
      assertEquals((unpacked({ type, mode }) as { mode: number }).mode, expected);
    });
  }

  for (const type of ["fifo", "character-device", "block-device", null]) {
    it(`of the kind ${type} is refused`, () => {
      assertThrows(
        () => unpacked({ type: type as "fifo" }),
        Refusal,
        "m is not a file, a directory or a link",
      );
    });
  }
});

suite("a symbolic link in a model's archive", () => {
  for (
    const [name, linkname] of [
      ["m", "other"],
      ["m", "./a/b"],
      ["a/m", "../other"],
      ["a/b/m", "../../c/d"],
      ["a/b/m", "../.."],
      ["a/./m", ".././x"],
      ["m", "..."],
    ] as const
  ) {
    it(`${name} may lead to ${linkname}`, () => {
      assertEquals(unpacked({ name, type: "symlink", linkname }), {
        kind: "symlink",
        path: name.split("/").filter((part) => part !== "."),
        target: linkname,
      });
    });
  }

  for (
    const [name, linkname] of [
      ["m", "/etc/passwd"],
      ["m", "/opt/ml/model/other"],
      ["m", ".."],
      ["m", "../m"],
      ["a/m", "../../x"],
      ["a/./m", "../../x"],
      ["a//m", "../../x"],
      // Where "link" leads to a directory further down, up from there is somewhere else.
      ["m", "link/.."],
      ["a/b/m", "../link/../x"],
    ] as const
  ) {
    it(`${name} may not lead to ${linkname}`, () => {
      assertThrows(
        () => unpacked({ name, type: "symlink", linkname }),
        Refusal,
        `${name} is a link to ${linkname}, which might be outside the archive`,
      );
    });
  }

  it("has to lead somewhere", () => {
    for (const linkname of ["", null]) {
      const entry = { type: "symlink", linkname: linkname as string } as const;
      assertThrows(() => unpacked(entry), Refusal, "has no name");
    }
  });
});

suite("a sparse file in a model's archive", () => {
  const pax = {
    "GNU.sparse.major": "1",
    "GNU.sparse.minor": "0",
    "GNU.sparse.name": "weights.bin",
    "GNU.sparse.realsize": "1000000",
  };

  it("has its name and its size in the pax header", () => {
    assertEquals(unpacked({ name: "GNUSparseFile.0/weights.bin", pax }), {
      kind: "file",
      path: ["weights.bin"],
      mode: 0o644,
      sparse: 1_000_000,
    });
    const hostile = { ...pax, "GNU.sparse.name": "../x" };
    assertThrows(() => unpacked({ pax: hostile }), Refusal, "../x points outside the archive");
  });

  for (
    const [key, value] of [
      ["GNU.sparse.major", "0"],
      ["GNU.sparse.minor", "1"],
      ["GNU.sparse.realsize", "-1"],
      ["GNU.sparse.realsize", "1e400"],
      ["GNU.sparse.realsize", "1.5"],
    ] as const
  ) {
    it(`is refused with ${key}=${value}`, () => {
      const words = "is a sparse file in an unsupported format";
      assertThrows(() => unpacked({ pax: { ...pax, [key]: value } }), Refusal, words);
    });
  }
});

const GB = 1024 ** 3;
const ROOM = { bytes: 30 * GB, words: "ml.m5.large", hint: "Take another." };

type Entry = Partial<Header> & { readonly name: string };

function judged(entries: readonly Entry[], room = ROOM): ArchiveCheck {
  const judgement = new ArchiveCheck(room);
  for (const entry of entries) {
    judgement.add({ type: "file", mode: 0o644, size: 1, linkname: null, ...entry } as Header);
  }
  return judgement;
}

const directory = (name: string): Entry => ({ name, type: "directory", size: 0 });
const link = (name: string, linkname: string): Entry => ({ name, type: "symlink", linkname });

suite("the judgement of an archive", () => {
  for (
    const [what, entries, warnings] of [
      ["a file", [{ name: "model.json" }], []],
      ["what tar -C DIR . makes", [directory("./"), { name: "./m" }, { name: "./n" }], []],
      ["a file beside a directory", [{ name: "code/inference.py" }, { name: "m" }], []],
      ["two directories", [{ name: "a/m" }, { name: "b/m" }], []],
      ["a version of TensorFlow's", [directory("1/"), { name: "1/saved_model.pb" }], []],
      ["nothing", [], []],
      ["a directory around it", [directory("model/"), { name: "model/m" }], [
        "Everything in A is inside model/, so a server finds it in /opt/ml/model/model/. " +
        "To change that: tar -czf model.tar.gz -C model .",
      ]],
      ["a directory around it, with dots", [directory("./"), { name: "./export/m" }], [
        "Everything in A is inside export/, so a server finds it in /opt/ml/model/export/. " +
        "To change that: tar -czf model.tar.gz -C export .",
      ]],
      ["an archive in it", [{ name: "model.tar.gz" }], [
        "A contains only model.tar.gz, which SageMaker does not unpack",
      ]],
      ["links", [{ name: "m" }, link("l", "m"), link("k", "m")], [
        "A contains symbolic links (l and 1 more), which SageMaker might not unpack. To pack " +
        "their targets instead, use tar -h.",
      ]],
      ["a hard link", [{ name: "m" }, { name: "n", type: "link", linkname: "m" }], []],
    ] as const
  ) {
    it(`warns of what looks like a mistake: ${what}`, () => {
      assertEquals(judged(entries).warnings("A"), warnings);
    });
  }

  it("refuses what does not fit, as soon as a header says so", () => {
    const half = { name: "a", size: 15 * GB };
    judged([half, { ...half, name: "b" }]);
    assertThrows(
      () => judged([half, { ...half, name: "b" }, { name: "c" }]),
      Refusal,
      "its files are larger than the 30 GB disk of ml.m5.large",
    );
    const pax = {
      "GNU.sparse.major": "1",
      "GNU.sparse.minor": "0",
      "GNU.sparse.realsize": String(2 ** 50),
      "GNU.sparse.name": "s",
    };
    assertThrows(() => judged([{ name: "s", pax } as Entry]), Refusal, "larger than the 30 GB");
  });

  it("does not count what is no file, nor where nobody knows the room", () => {
    assertEquals(judged([directory("d/"), { name: "m" }, link("l", "m")]).files, 2);
    const room = { ...ROOM, bytes: undefined };
    const judgement = new ArchiveCheck(room);
    judgement.add({ name: "m", type: "file", mode: 0, size: 2 ** 50 } as Header);
    assertEquals(judgement.files, 1);
  });
});
