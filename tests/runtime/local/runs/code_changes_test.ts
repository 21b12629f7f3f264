import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { archiveOf } from "../../../../runtime/source/source.ts";
import { type CodeChange, codeChanges } from "../../../../runtime/local/runs/code_changes.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

type Files = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
const HASHES = ["a".repeat(32), "b".repeat(32)] as const;

async function changes(
  one: Files,
  other: Files,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly CodeChange[] | undefined> {
  await using jobs = await makeDirectory();
  await Deno.mkdir(join(jobs.path, "code"));
  for (const [index, files] of [one, other].entries()) {
    const archive = await archiveOf({
      hash: "",
      leftOut: [],
      files: Object.entries(files).map(([path, text]) => ({
        path,
        isProgram: false,
        bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
      })),
    });
    await Deno.writeFile(join(jobs.path, "code", `${HASHES[index]}.tar.gz`), archive);
  }
  const layout = { jobs: jobs.path } as Parameters<typeof codeChanges>[0];
  return await codeChanges(layout, HASHES, signal);
}

const rows: Readonly<Record<string, readonly [one: Files, other: Files, CodeChange[]]>> = {
  "nothing": [{ a: "1\n" }, { a: "1\n" }, []],
  "a file more and one less": [{ a: "1\n" }, { b: "1\n" }, [
    { path: "a", change: "removed" },
    { path: "b", change: "added" },
  ]],
  "what is no text": [
    { a: new Uint8Array([0, 1]), b: new Uint8Array([0xff]) },
    { a: new Uint8Array([0, 2]), b: new Uint8Array([0xfe]) },
    [{ path: "a", change: "changed" }, { path: "b", change: "changed" }],
  ],
  "a mark at the beginning": [{ a: "\ufeff1\n" }, { a: "1\n" }, [{
    path: "a",
    change: "changed",
    patch: "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-\ufeff1\n+1\n",
  }]],
  "a long text": [{ a: "1".repeat(300_000) }, { a: "2".repeat(300_000) }, [
    { path: "a", change: "changed" },
  ]],
  "a text of which too much changed": [
    { a: "1\n".repeat(1_500) },
    { a: "2\n".repeat(1_500) },
    [{ path: "a", change: "changed" }],
  ],
};

suite("what changed in code", () => {
  for (const [title, [one, other, expected]] of Object.entries(rows)) {
    it(`is ${title}`, async () => assertEquals(await changes(one, other), expected));
  }

  it("is no more than so many lines", async () => {
    const lines = (letter: string) => `${letter}\n`.repeat(900);
    const found = await changes({ a: lines("1"), b: "1" }, { a: lines("2"), b: "2" });
    assertEquals(found?.[0]?.patch?.split("\n").length, 1_002);
    assertMatch(found![0]!.patch!, /\n\.\.\. \(803 more lines\)\n$/);
    assertEquals(found![1], { path: "b", change: "changed" });
  });

  it("is shown of so many texts alone, and not where there are too many files", async () => {
    const texts = (letter: string) =>
      Object.fromEntries(
        Array.from({ length: 12 }, (_, index) =>
          [`f${index + 10}`, "0".repeat(200_000) + `\n${letter}\n`] as const),
      );
    const found = (await changes(texts("1"), texts("2")))!;
    assertEquals(found.map(({ patch }) => patch !== undefined), [
      ...Array.from({ length: 10 }, () => true),
      ...[false, false],
    ]);
    const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`f${at}`, ""]));
    assertEquals(await changes(many, { a: "" }), undefined);
  });

  it("can be given up, and is not looked for behind a link", async () => {
    const jobs = await Deno.makeTempDir();
    await using elsewhere = await makeDirectory({ [`${HASHES[0]}.tar.gz`]: "" });
    await Deno.symlink(elsewhere.path, join(jobs, "code"));
    const layout = { jobs } as Parameters<typeof codeChanges>[0];
    const { signal } = new AbortController();
    assertEquals(await codeChanges(layout, [HASHES[0], HASHES[0]], signal), undefined);
    await Deno.remove(jobs, { recursive: true });
    await assertRejects(() => changes({ a: "1" }, { a: "2" }, AbortSignal.abort()), DOMException);
  });

  it("is not known where the code of one is not there, or its hash is none", async () => {
    const layout = { jobs: "/nowhere" } as Parameters<typeof codeChanges>[0];
    const { signal } = new AbortController();
    for (const other of [HASHES[1], undefined, "../../x"]) {
      assertEquals(await codeChanges(layout, [HASHES[0], other], signal), undefined);
    }
  });
});
