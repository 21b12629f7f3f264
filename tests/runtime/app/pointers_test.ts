import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { pointerAt, pointersAmong } from "../../../runtime/app/pointers.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const OID = `oid sha256:${"4d7a".repeat(16)}\nsize 12345\n`;

/** Texts, and what they are a pointer of. */
const TEXTS: readonly (readonly [title: string, text: string, of: string | undefined])[] = [
  // https://github.com/git-lfs/git-lfs/issues/4366 (invalid load key, 'v')
  ["Git LFS's", `version https://git-lfs.github.com/spec/v1\n${OID}`, "Git LFS"],
  // https://github.com/git-lfs/git-lfs/issues/2863
  [
    "Git LFS's with an extension",
    `version https://git-lfs.github.com/spec/v1\next-0-gzip sha256:${"0".repeat(64)}\n${OID}`,
    "Git LFS",
  ],
  [
    "Git LFS's before its first release",
    `version https://hawser.github.com/spec/v1\n${OID}`,
    "Git LFS",
  ],
  [
    "one with line ends of Windows",
    `version https://git-lfs.github.com/spec/v1\r\n${OID.replaceAll("\n", "\r\n")}`,
    "Git LFS",
  ],
  // https://github.com/G-Node/gin-cli/issues/311
  [
    "git-annex's",
    "/annex/objects/MD5-s104857600--2f282b84e7e608d5852449ed940bfc51\n",
    "git-annex",
  ],
  ["git-annex's for a small file", `/annex/objects/MD5-s512--${"2f".repeat(16)}`, "git-annex"],
  ["a text about Git LFS", `# version https://git-lfs.github.com/spec/v1\n${OID}`, undefined],
  ["a text as long as a pointer", "a,b,c\n".repeat(22), undefined],
  [
    "a text that is longer than a pointer can be",
    `version https://git-lfs.github.com/spec/v1\n${OID}${"x".repeat(1024)}`,
    undefined,
  ],
  ["an empty file, which is its own pointer", "", undefined],
];

suite("A pointer to a file that was not fetched", () => {
  for (const [title, text, of] of TEXTS) {
    it(`is ${of === undefined ? "not " : ""}${title}`, async () => {
      await using directory = await makeDirectory({ "model.pkl": text });
      assertEquals(pointerAt(join(directory.path, "model.pkl"), text.length)?.title, of);
    });
  }

  it("is looked for among the first hundred files of an extension in a directory", async () => {
    const [, text] = TEXTS[0]!;
    const names = Array.from({ length: 99 }, (_, index) => `${index}.x`);
    await using directory = await makeDirectory({
      ...Object.fromEntries(names.map((name) => [name, "1"])),
      "a.x": text,
      "b.x": text,
      "lib/b.x": text,
    });
    const paths = [...names, "a.x", "b.x", "lib/b.x"];
    const { found, others } = pointersAmong(directory.path, paths);
    assertEquals([found, others], [["a.x", "lib/b.x"], 99]);
  });
});
