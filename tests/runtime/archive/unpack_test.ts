import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Interrupted, MlcliError } from "../../../runtime/errors.ts";
import { type Limits, limitsOf, unpackModel } from "../../../runtime/archive/unpack.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { inOwnProcess } from "../../helpers/own_process.ts";
import { it, suite } from "../../helpers/suite.ts";
import { concatenated, gzip, type RawEntry, tarGz, tarOf } from "../../helpers/tar.ts";

/** Some KB of which gzip makes no less. */
const NOISE = crypto.getRandomValues(new Uint8Array(60_000));

interface Surroundings {
  readonly signal?: AbortSignal;
  readonly limits?: Limits;
}

/** Unpacks into `target/` of a directory; beside it lies a file that must not change. */
async function unpackIn(
  directory: TestDirectory,
  bytes: Uint8Array,
  { signal = new AbortController().signal, limits }: Surroundings = {},
): Promise<void> {
  const archive = join(directory.path, "model.tar.gz");
  await Deno.writeFile(archive, bytes);
  await unpackModel(archive, join(directory.path, "target"), "app/model.tar.gz", signal, limits);
}

/** Everything in a directory: path to content, `-> target` for a link, `/` for a directory. */
async function contentOf(directory: string, prefix = ""): Promise<Record<string, string>> {
  const found: [string, string][] = [];
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (isDirectory) {
      found.push([`${prefix}${name}`, "/"]);
      found.push(...Object.entries(await contentOf(path, `${prefix}${name}/`)));
    } else if (isSymlink) found.push([`${prefix}${name}`, `-> ${await Deno.readLink(path)}`]);
    else found.push([`${prefix}${name}`, await Deno.readTextFile(path)]);
  }
  return Object.fromEntries(found.sort(([one], [other]) => one < other ? -1 : 1));
}

async function unpacked(entries: readonly RawEntry[]): Promise<Record<string, string>> {
  await using directory = await makeDirectory();
  await unpackIn(directory, await tarGz(entries));
  return await contentOf(join(directory.path, "target"));
}

/** Requires that these bytes are refused with these words, and that nothing else has changed. */
async function assertRefused(
  bytes: Uint8Array,
  words: string | RegExp,
  limits?: Limits,
): Promise<MlcliError> {
  await using directory = await makeDirectory({ "outside/secret": "s", "outside/sub/": "" });
  const error = await assertRejects(
    () => unpackIn(directory, bytes, { limits }),
    MlcliError,
  );
  assertMatch(error.message, /^Cannot unpack app\/model\.tar\.gz: /);
  const reason = error.message.slice("Cannot unpack app/model.tar.gz: ".length);
  if (typeof words === "string") assertEquals(reason, words);
  else assertMatch(reason, words);
  assertEquals(error.hint !== undefined, true, "a hint");
  await Deno.remove(join(directory.path, "model.tar.gz"));
  assertEquals(await contentOf(directory.path), {
    "outside": "/",
    "outside/secret": "s",
    "outside/sub": "/",
  });
  return error;
}

suite("unpackModel", () => {
  it("makes files, directories, and links among them", async () => {
    const entries = [
      { name: "./", type: "5", mode: 0o700 },
      { name: "./model.json", content: "{}" },
      { name: "a/b/deep.bin", content: "deep" },
      { name: "a/empty", content: "" },
      { name: "folder/", type: "5" },
      { name: "a/link", type: "2", link: "../model.json" },
      { name: "before", type: "2", link: "later" },
      { name: "later", content: "l" },
      { name: "other", type: "1", link: "./a/b/deep.bin" },
    ];
    assertEquals(await unpacked(entries), {
      "a": "/",
      "a/b": "/",
      "a/b/deep.bin": "deep",
      "a/empty": "",
      "a/link": `-> ${join("../model.json")}`,
      "before": "-> later",
      "folder": "/",
      "later": "l",
      "model.json": "{}",
      "other": "deep",
    });
  });

  it("lets the last of several entries win, as tar does", async () => {
    const entries = [
      { name: "m", content: "a long one" },
      { name: "other", type: "1", link: "m" },
      { name: "m", content: "new" },
      { name: "l", type: "2", link: "m" },
      { name: "l", content: "a file" },
      { name: "x", content: "" },
      { name: "x", type: "2", link: "m" },
      { name: "m", type: "1", link: "m" },
    ];
    assertEquals(await unpacked(entries), {
      "l": "a file",
      "m": "new",
      "other": "a long one",
      "x": "-> m",
    });
  });

  it("takes a content of any length, an empty archive, and what gzip -d takes", async () => {
    for (const length of [0, 1, 511, 512, 513, 60_000]) {
      const content = NOISE.subarray(0, length);
      await using directory = await makeDirectory();
      const bytes = await tarGz([{ name: "m", content }]);
      // Zeros behind the data are padding.
      await unpackIn(directory, concatenated([bytes, new Uint8Array(1000)]));
      assertEquals(await Deno.readFile(join(directory.path, "target/m")), content);
    }
    assertEquals(await unpacked([]), {});
    const all = tarOf([{ name: "m", content: "in two parts" }]);
    const parts = await Promise.all([all.subarray(0, 600), all.subarray(600)].map(gzip));
    await using directory = await makeDirectory();
    await unpackIn(directory, concatenated(parts));
    assertEquals(await contentOf(join(directory.path, "target")), { m: "in two parts" });
  });

  it("knows long names and sizes from pax headers, and sparse files", async () => {
    const long = `${"d".repeat(150)}/${"f".repeat(150)}`;
    const found = await unpacked([
      { name: "short", pax: { path: long, comment: "ü" }, content: "long" },
      {
        name: "GNUSparseFile.0/w",
        pax: {
          "GNU.sparse.major": "1",
          "GNU.sparse.minor": "0",
          "GNU.sparse.name": "w",
          "GNU.sparse.realsize": "8",
        },
        content: "1\n2\n3\n".padEnd(512, "\0") + "abc",
      },
    ]);
    assertEquals(found[long], "long");
    assertEquals(found["w"], "\0\0abc\0\0\0");
  });

  if (Deno.build.os !== "windows") {
    it("gives the caller everything, without setuid, whatever the umask is", async () => {
      await using directory = await makeDirectory();
      const archive = join(directory.path, "model.tar.gz");
      await Deno.writeFile(
        archive,
        await tarGz([
          { name: "setuid", mode: 0o6755, content: "x" },
          { name: "secret", mode: 0o400 },
          { name: "implied/m", mode: 0o644 },
          { name: "closed/", type: "5", mode: 0 },
          { name: "closed/m", mode: 0o644 },
          { name: "open/", type: "5", mode: 0o7777 },
        ]),
      );
      const paths = JSON.stringify([archive, join(directory.path, "target"), "model.tar.gz"]);
      await inOwnProcess(
        `
        Deno.umask(0o077);
        await unpackModel(...${paths}, new AbortController().signal);
      `,
        { imports: { unpackModel: "runtime/archive/unpack.ts" } },
      );
      const modes: Record<string, string> = {};
      const names = ["", "setuid", "secret", "implied", "implied/m", "closed", "closed/m", "open"];
      for (const name of names) {
        const { mode, uid } = await Deno.lstat(join(directory.path, "target", name));
        assertEquals(uid, Deno.uid());
        modes[name] = ((mode ?? 0) & 0o7777).toString(8);
      }
      assertEquals(modes, {
        "": "755",
        "setuid": "755",
        "secret": "600",
        "implied": "755",
        "implied/m": "644",
        "closed": "700",
        "closed/m": "644",
        "open": "777",
      });
    });
  }

  for (
    const [title, entries] of [
      ["a large file", [{ name: "m0", content: concatenated(Array(100).fill(NOISE)) }]],
      ["many files", Array.from({ length: 1000 }, (_, index) => ({ name: `m${index}` }))],
    ] as const
  ) {
    it(`is stopped by Ctrl-C in the middle of ${title}, and leaves nothing`, async () => {
      await using directory = await makeDirectory();
      const interruption = new AbortController();
      const reason = new Interrupted("SIGINT");
      const bytes = await tarGz(entries);
      const { signal } = interruption;
      let asked = 0;
      signal.throwIfAborted = () => {
        if (++asked === 50) {
          assertEquals(Deno.lstatSync(join(directory.path, "target/m0")).isFile, true);
          interruption.abort(reason);
        }
        if (signal.aborted) throw signal.reason;
      };
      const error = await assertRejects(() => unpackIn(directory, bytes, { signal }), Interrupted);
      assertEquals([error, asked >= 50, asked < 60], [reason, true, true]);
      assertEquals(Object.keys(await contentOf(directory.path)), ["model.tar.gz"]);
    });
  }

  it("does nothing after Ctrl-C", async () => {
    await using directory = await makeDirectory();
    const reason = new Interrupted("SIGINT");
    const bytes = await tarGz([{ name: "m" }]);
    const signal = AbortSignal.abort(reason);
    const error = await assertRejects(() => unpackIn(directory, bytes, { signal }), Interrupted);
    assertEquals(error, reason);
    assertEquals(Object.keys(await contentOf(directory.path)), ["model.tar.gz"]);
  });

  it("touches no directory that is there already", async () => {
    await using directory = await makeDirectory({ "target/mine": "1" });
    const bytes = await tarGz([{ name: "m" }]);
    const error = await assertRejects(() => unpackIn(directory, bytes), MlcliError);
    assertMatch(error.message, /^Cannot unpack app\/model\.tar\.gz: /);
    assertEquals(await contentOf(join(directory.path, "target")), { mine: "1" });
  });
});

suite("unpackModel refuses", () => {
  const GOOD: RawEntry = { name: "good/file", content: NOISE };
  const HOSTILE:
    readonly (readonly [title: string, entries: RawEntry[], words: string | RegExp])[] = [
      ["a path that leads out", [{ name: "../outside/secret", content: "x" }], /points outside/],
      ["an absolute path", [{ name: "/tmp/mlcli-hostile", content: "x" }], /is an absolute path/],
      [
        "a path in a pax header",
        [{ name: "m", pax: { path: "../outside/secret" } }],
        /points outside/,
      ],
      ["a link that leads out", [{ name: "l", type: "2", link: "../outside" }], /might be outside/],
      ["an absolute link", [{ name: "l", type: "2", link: "/etc" }], /might be outside/],
      [
        "a link in a pax header",
        [{ name: "l", type: "2", link: "m", pax: { linkpath: "../outside" } }],
        /^l is a link to \.\.\/outside, /,
      ],
      [
        "links that lead out together",
        [
          { name: "a/b/", type: "5" },
          { name: "down", type: "2", link: "a/b" },
          { name: "out", type: "2", link: "down/../../../outside" },
        ],
        /^out is a link to /,
      ],
      [
        "a file through a link",
        [{ name: "a/", type: "5" }, { name: "l", type: "2", link: "a" }, { name: "l/m" }],
        "l/m is inside a path that is not a directory",
      ],
      [
        "a directory in the place of a link",
        [{ name: "a/", type: "5" }, { name: "l", type: "2", link: "a" }, { name: "l/", type: "5" }],
        "l/ is inside a path that is not a directory",
      ],
      [
        "a file below a file",
        [{ name: "m" }, { name: "m/n" }],
        "m/n is inside a path that is not a directory",
      ],
      [
        "a link in the place of a directory",
        [{ name: "a/", type: "5" }, { name: "a", type: "2", link: "b" }],
        "a occurs twice, once as a directory",
      ],
      [
        "another name of what leads out",
        [{ name: "m", type: "1", link: "../outside/secret" }],
        /^\.\.\/outside\/secret points outside the archive$/,
      ],
      [
        "another name of a link",
        [{ name: "l", type: "2", link: "m" }, { name: "n", type: "1", link: "l" }],
        "n is a hard link to l, but no file of that name comes before it",
      ],
      [
        "another name of what lies behind a link",
        [
          { name: "a/m" },
          { name: "l", type: "2", link: "a" },
          { name: "n", type: "1", link: "l/m" },
        ],
        "n is a hard link to l/m, but no file of that name comes before it",
      ],
      [
        "another name of nothing, of a directory, of itself",
        [{ name: "n", type: "1", link: "n" }],
        "n is a hard link to n, but no file of that name comes before it",
      ],
      ["a device", [{ name: "null", type: "3" }], /^null is not a file, a directory or /],
      ["a pipe", [{ name: "pipe", type: "6" }], /^pipe is not a file, a directory or /],
      [
        "a sparse file of GNU's format",
        [{ name: "s", type: "S" }],
        /^s is not a file, a directory or /,
      ],
      [
        "a name that is not UTF-8",
        [{ name: new Uint8Array([0x6d, 0xff]) }],
        "m\ufffd has a name that is not UTF-8",
      ],
      [
        "a name that the system does not take",
        [{ name: "m", pax: { path: "x".repeat(5000) } }],
        /./,
      ],
    ];
  for (const [title, entries, words] of HOSTILE) {
    it(title, async () => {
      await assertRefused(await tarGz([GOOD, ...entries, { name: "after" }]), words);
    });
  }

  it("what is no archive", async () => {
    const text = new TextEncoder().encode("This is text, of more than a block. ".repeat(50));
    await assertRefused(new Uint8Array(), "the file is not compressed with gzip");
    await assertRefused(new Uint8Array([0x1f]), "the file is not compressed with gzip");
    await assertRefused(tarOf([GOOD]), "the file is not compressed with gzip");
    await assertRefused(text, "the file is not compressed with gzip");
    await assertRefused(
      await gzip(text),
      /^the file is not a tar archive, or is damaged or incomplete/,
    );
    await assertRefused(await gzip(text.subarray(0, 100)), /^the file is not a tar archive/);
  });

  it("what is damaged or cut off, wherever", async () => {
    const whole = await tarGz([{ name: "first", content: "1" }, GOOD]);
    for (const length of [2, 12, 100, 30_000, whole.length - 9, whole.length - 1]) {
      await assertRefused(whole.subarray(0, length), /^its gzip data is damaged or incomplete /);
    }
    const wrong = whole.slice();
    wrong.set([wrong[30_000]! ^ 0xff], 30_000);
    await assertRefused(wrong, /damaged or incomplete/);
    const checksum = whole.slice();
    checksum.set([checksum.at(-6)! ^ 0xff], checksum.length - 6);
    await assertRefused(checksum, /^its gzip data is damaged or incomplete /);
    // What begins with a zero is padding, and may be there.
    await assertRefused(
      concatenated([whole, new Uint8Array([1]), NOISE]),
      /^its gzip data is damaged /,
    );

    const tar = tarOf([{ name: "first", content: "1" }, GOOD]);
    // In a header, in the content of a file, in its padding.
    for (const length of [300, 1024 + 300, 1536 + 10, 1536 + 60_000 + 100]) {
      const cut = await gzip(tar.subarray(0, length));
      await assertRefused(cut, /^the file is not a tar archive, or is damaged or incomplete/);
    }
    const header = tar.slice();
    header.set([0x78], 1024 + 3);
    await assertRefused(await gzip(header), /^the file is not a tar archive, or is damaged/);
  });

  it("more than the limits allow", async () => {
    const words = "it contains more than 3 files and directories";
    const four = [{ name: "a/b/m" }, { name: "n" }];
    await assertRefused(await tarGz(four), words, { entries: 3, bytes: 1e6 });
    await using directory = await makeDirectory();
    const limits = { entries: 4, bytes: 3 * 512 + 1024 };
    await unpackIn(directory, await tarGz([...four, { name: "a/b/", type: "5" }]), { limits });

    const bytes = await tarGz([{ name: "zeros", content: new Uint8Array(100_000) }]);
    await assertRefused(bytes, "its files are larger than the limit of 90000 bytes", {
      entries: 3,
      bytes: 90_000,
    });
    const pax = {
      "GNU.sparse.major": "1",
      "GNU.sparse.minor": "0",
      "GNU.sparse.name": "w",
      "GNU.sparse.realsize": "90000",
    };
    const holes = { name: "w", pax, content: "0\n".padEnd(512, "\0") };
    await assertRefused(
      await tarGz([holes, holes]),
      "its files are larger than the limit of 100000 bytes",
      {
        entries: 3,
        bytes: 100_000,
      },
    );
  });

  it("limits fit a large model, and no bomb", () => {
    assertEquals(limitsOf(1000).bytes, 1024 ** 3);
    assertEquals(limitsOf(20e9).bytes, 2e12);
    assertEquals(limitsOf(20e9).entries, 250_000);
  });
});
