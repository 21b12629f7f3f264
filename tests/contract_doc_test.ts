import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { problemsOfTests, type ReadText, tableRows } from "./helpers/doc_table.ts";
import { it, suite } from "./helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** What mlcli may do about a fact, and what may follow it in its cell. */
const STATUS = /^(reproduced|enforced|warned of|not)(?:[:;] (.+))?$/;

/** How many of 90 facts are to be more than `not`, whatever their number. */
const WANTED = 70 / 90;

/** A row of the page's tables. */
interface Row {
  readonly number: string;
  readonly fact: string;
  readonly source: string;
  readonly does: string;
  readonly test: string;
}

/** The rows of all tables on the page, without their headings. */
function rowsOf(page: string): readonly Row[] {
  return tableRows(page).map((row) => {
    const [number = "", fact = "", source = "", does = "", test = ""] = row;
    assertEquals(row.length, 5, `row ${number} has five cells`);
    return { number, fact, source, does, test };
  });
}

/** What is wrong with a row; `read` gives the text of a file, if there is one. */
async function problemsOf(row: Row, read: ReadText): Promise<readonly string[]> {
  const problems: string[] = [];
  if (row.fact === "") problems.push("no fact");
  if (row.source === "") problems.push("no source");
  const [, status, rest = ""] = STATUS.exec(row.does) ?? [];
  if (status === undefined) problems.push(`unknown: ${row.does}`);
  if (status === "not") return rest === "" ? [...problems, "no reason"] : problems;
  return [...problems, ...await problemsOfTests(row.test, read)];
}

/** What the page says of its rows, in its own order. */
function countsIn(page: string): readonly number[] {
  const words =
    /^Of (\d+) facts, mlcli reproduces (\d+), enforces (\d+), warns of (\d+): (\d+) in all, and (\d+) it does not\.$/m;
  const counts = words.exec(page)?.slice(1).map(Number);
  assert(counts, "the page says how many facts there are");
  return counts;
}

const page = Deno.readTextFileSync(join(ROOT, "docs/reference/contract.md")).replaceAll(
  "\r\n",
  "\n",
);
const rows = rowsOf(page);

suite("docs/reference/contract.md", () => {
  it("has a source and a test, or a reason, in each row", async () => {
    const read = (path: string) => Deno.readTextFile(join(ROOT, path)).catch(() => undefined);
    const found = await Promise.all(
      rows.map(async (row) =>
        (await problemsOf(row, read)).map((problem) => `row ${row.number}: ${problem}`)
      ),
    );
    assertEquals(found.flat(), []);
  });

  it("numbers its rows, and has no fact twice in a part", () => {
    assertEquals(rows.map(({ number }) => number), rows.map((_, index) => `${index + 1}`));
    const facts = rows.map(({ fact, source }) => `${fact} (${source})`);
    assertEquals(facts.filter((fact, index) => facts.indexOf(fact) !== index), []);
  });

  it("counts as it says in its first lines: 70 of 90, or more", () => {
    const count = (status: string) => rows.filter(({ does }) => does.startsWith(status)).length;
    const [reproduced, enforced, warned, not] = ["reproduced", "enforced", "warned of", "not"]
      .map(count) as [number, number, number, number];
    const kept = reproduced + enforced + warned;
    assertEquals(countsIn(page), [rows.length, reproduced, enforced, warned, kept, not]);
    assert(rows.length >= 90 && kept / rows.length >= WANTED, `${kept} of ${rows.length}`);
  });
});

suite("a row of docs/reference/contract.md", () => {
  const GOOD = '| 1 | A fact | guide | reproduced | `tests/a_test.ts` "does it"; `tests/b.py` |';
  const files = new Map([["tests/a_test.ts", 'it("does it", ...)'], ["tests/b.py", ""], ["c", ""]]);
  const read = (path: string) => Promise.resolve(files.get(path));
  for (
    const [from, to, problem] of [
      ["", "", undefined],
      ["reproduced", "warned of; `--strict` refuses it", undefined],
      ["reproduced", "not: no time", undefined],
      ["reproduced", "not", "no reason"],
      ["guide", "", "no source"],
      ["A fact", "", "no fact"],
      ["reproduced", "done", "unknown: done"],
      ["reproduced", "", "unknown: "],
      ["a_test", "z_test", "no file tests/z_test.ts"],
      ["`tests/b.py`", "`c`", "no file c"],
      ["does it", "does that", '"does that" is not in tests/a_test.ts'],
      ['`tests/a_test.ts` "does it"; `tests/b.py`', "-", "no test: -"],
      ["`tests/b.py`", "and by hand", 'no test: `tests/a_test.ts` "does it"; and by hand'],
    ] as const
  ) {
    it(`${to || "without " + (from || "a fault")}: ${problem ?? "nothing is wrong"}`, async () => {
      const [row] = rowsOf(GOOD.replace(from, () => to));
      assertEquals(await problemsOf(row!, read), problem === undefined ? [] : [problem]);
    });
  }
});
