import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { problemsOfTests, tableRows } from "./helpers/doc_table.ts";
import { it, suite } from "./helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** How many faults there are to be at least. */
const WANTED = 70;

const page = Deno.readTextFileSync(join(ROOT, "docs/explanation/reliability.md")).replaceAll(
  "\r\n",
  "\n",
);
const rows = tableRows(page);

suite("docs/explanation/reliability.md", () => {
  it("says of each fault what happens, and which test shows it", async () => {
    const read = (path: string) => Deno.readTextFile(join(ROOT, path)).catch(() => undefined);
    const found = await Promise.all(rows.map(async (row) => {
      const [fault = "", happens = "", test = ""] = row;
      const problems = [...await problemsOfTests(test, read)];
      if (row.length !== 3 || !fault || !happens) problems.push("not three cells with words");
      return problems.map((problem) => `${fault}: ${problem}`);
    }));
    assertEquals(found.flat(), []);
  });

  it("has no fault twice, and many", () => {
    const faults = rows.map(([fault]) => fault);
    assertEquals(faults.filter((fault, index) => faults.indexOf(fault) !== index), []);
    assert(faults.length >= WANTED, `${faults.length} faults`);
  });
});
