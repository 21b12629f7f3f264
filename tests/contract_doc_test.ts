import { assert, assertEquals, assertThrows } from "@std/assert";
import evidence from "./evidence/contract.json" with { type: "json" };
import { type Item, itemsOf, problemsOfEvidence, readText } from "./helpers/evidence.ts";
import { it, suite } from "./helpers/suite.ts";

/** How many of 90 facts are to be more than `left out`, whatever their number. */
const WANTED = 70 / 90;

/** An item: the fact, what mlcli does about it, who says so, and how mlcli differs. */
const FACT = new RegExp(
  [
    /^(?<number>\d+)\. (?<words>.+?) \[\*\*(?<status>reproduced|enforced|warned of|left out)\*\*/,
    /(?: (?<rest>[^;[\]]+))?; (?<source>[^[\]]+)\]\.(?: (?<more>.+))?$/,
  ].map(({ source }) => source).join(""),
);

interface Fact {
  readonly section: string;
  readonly number: string;
  readonly words: string;
  readonly status: string;
}

/** The facts of a page, each of which has a source, and a reason where mlcli leaves it out. */
function factsOf(page: string): readonly Fact[] {
  const isNumbered = ({ lines }: Item): boolean => /^\d+\. /.test(lines[0]!);
  return itemsOf(page).filter(isNumbered).map(({ section, lines }) => {
    const { number, words, status, rest, more } = FACT.exec(lines.join("\n"))?.groups ?? {};
    assert(number && words && status, `no fact, status and source: ${lines.join("\n")}`);
    assert(status !== "left out" || rest || more, `no reason: ${lines[0]}`);
    return { section, number, words, status };
  });
}

/** What the page says of its facts, in its own order. */
function countsIn(page: string): readonly number[] {
  const words =
    /^mlcli covers (\d+) of the (\d+) facts on this page: it reproduces (\d+), enforces (\d+) and\s+warns\s+of\s+(\d+)\.\s+mlcli\s+leaves\s+out (\d+) facts\.$/m;
  const counts = words.exec(page)?.slice(1).map(Number);
  assert(counts, "the page says how many facts there are");
  return counts;
}

const page = Deno.readTextFileSync(
  new URL("../docs/reference/contract.md", import.meta.url),
).replaceAll("\r\n", "\n");

suite("docs/reference/contract.md", () => {
  it("has a source and a test, or a reason, for each fact", async () => {
    const kept = factsOf(page).filter(({ status }) => status !== "left out");
    assertEquals(await problemsOfEvidence(kept, evidence, readText), []);
  });

  it("numbers its facts, and has none twice in a part", () => {
    const facts = factsOf(page);
    assertEquals(facts.map(({ number }) => number), facts.map((_, index) => `${index + 1}`));
    const words = facts.map(({ section, words }) => `${section}: ${words}`);
    assertEquals(words.filter((fact, index) => words.indexOf(fact) !== index), []);
  });

  it("counts as it says in its first lines: 70 of 90, or more", () => {
    const facts = factsOf(page);
    const count = (wanted: string) => facts.filter(({ status }) => status === wanted).length;
    const [reproduced, enforced, warned, not] = ["reproduced", "enforced", "warned of", "left out"]
      .map(count) as [number, number, number, number];
    const kept = reproduced + enforced + warned;
    assertEquals(countsIn(page), [kept, facts.length, reproduced, enforced, warned, not]);
    assert(facts.length >= 90 && kept / facts.length >= WANTED, `${kept} of ${facts.length}`);
  });
});

suite("a fact of docs/reference/contract.md", () => {
  const GOOD = "## Part\n\n1. A fact [**reproduced**\n   locally; guide].\n";
  const TESTS = ["tests/a_test.ts: does it", "tests/b.py"];
  const files = new Map([["tests/a_test.ts", 'it("does it", ...)'], ["tests/b.py", ""], ["c", ""]]);
  const read = (path: string) => Promise.resolve(files.get(path));

  for (
    const [from, to, problem] of [
      ["reproduced", "done", "no fact, status and source"],
      ["reproduced", "", "no fact, status and source"],
      ["reproduced**\n   locally", "left out**", "no reason"],
      ["; guide", "", "no fact, status and source"],
      ["A fact", "", "no fact, status and source"],
    ] as const
  ) {
    it(`with ${JSON.stringify(to)} for ${JSON.stringify(from)}: ${problem}`, () => {
      assertThrows(() => factsOf(GOOD.replace(from, to)), Error, problem);
    });
  }

  for (
    const [title, tests, problems] of [
      ["as it should be", { "A fact": TESTS }, []],
      ["without a test", {}, ["Part: A fact: no evidence"]],
      ["with an empty list of tests", { "A fact": [] }, ["Part: A fact: no test"]],
      ["that is gone", { "A fact": TESTS, Other: TESTS }, ["Part: Other: not on the page"]],
      ["whose test's file is gone", { "A fact": ["tests/z.ts: does it"] }, [
        "Part: A fact: no file: tests/z.ts: does it",
      ]],
      ["whose file holds no tests", { "A fact": ["c"] }, ["Part: A fact: no file: c"]],
      ["whose test is gone", { "A fact": ["tests/a_test.ts: does that"] }, [
        'Part: A fact: "does that" is not in tests/a_test.ts',
      ]],
      ["tried by hand alone", { "A fact": ["by hand"] }, ["Part: A fact: no file: by hand"]],
    ] as const
  ) {
    it(`${title}: ${problems[0] ?? "nothing is wrong"}`, async () => {
      assertEquals(await problemsOfEvidence(factsOf(GOOD), { Part: tests }, read), problems);
    });
  }
});
