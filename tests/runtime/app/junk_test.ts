import { assertEquals } from "@std/assert";
import { parseIgnoreRules } from "../../../runtime/app/ignore_rules.ts";
import { isJunk, junkNotes } from "../../../runtime/app/junk.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROOT = new URL("../../../", import.meta.url);

/** Each with the report of a program that took it for data. */
const JUNK: readonly (readonly [name: string, report: string])[] = [
  [".ipynb_checkpoints", "https://github.com/open-mmlab/mmpretrain/issues/507"],
  [".DS_Store", "https://github.com/run-llama/llama_index/issues/88"],
  ["._model.safetensors", "https://github.com/pytorch/serve/issues/3104"],
  // Beside a directory that is packed as "."
  ["._.", "https://github.com/pytorch/serve/issues/3104"],
  ["__MACOSX", "https://github.com/WorldBank-Transport/open-transit-indicators/issues/54"],
  ["thumbs.db", "https://github.com/soft-matter/trackpy/issues/87"],
  ["Thumbs.db", "https://github.com/soft-matter/trackpy/issues/87"],
];

suite("isJunk", () => {
  for (const [name, report] of JUNK) {
    it(`accepts ${name} (${report})`, () => assertEquals(isJunk(name), true));
  }

  for (
    const name of [
      ...["a.csv", ".env", ".gitkeep", "_a", ".a_b", "thumbs.db.csv", "my_thumbs.db"],
      ...["DS_Store", ".ds_store", "__macosx", "MACOSX", "ipynb_checkpoints", ".ipynb_checkpoint"],
    ]
  ) it(`refuses ${name}`, () => assertEquals(isJunk(name), false));
});

suite("a .dockerignore of mlcli", () => {
  const apps = ["churn", "housing", "rentals"].map((app) => `fixtures/apps/${app}/.dockerignore`);
  for (const path of ["runtime/image/template/dockerignore", ...apps]) {
    it(`keeps junk at any depth out of the image: ${path}`, async () => {
      const rules = await parseIgnoreRules(await Deno.readTextFile(new URL(path, ROOT)));
      for (const [name] of JUNK) {
        for (const where of [name, `a/${name}`, `a/b/${name}/c.csv`]) {
          assertEquals(rules.ignores(where), true, where);
        }
      }
    });
  }
});

suite("the note about junk", () => {
  it("counts, and names the first", () => {
    assertEquals(junkNotes([]), []);
    const leave = "that operating systems and notebooks create";
    assertEquals(junkNotes(["d/._a"]), [`Skipped 1 file ${leave}: d/._a`]);
    assertEquals(junkNotes(["d/x/._a", "d/._b", "d/._d", "d/._c"]), [
      `Skipped 4 files ${leave}: d/._b, d/._c, d/._d and 1 more`,
    ]);
  });
});
