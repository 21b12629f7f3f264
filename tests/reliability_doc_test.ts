import { assert, assertEquals } from "@std/assert";
import evidence from "./evidence/reliability.json" with { type: "json" };
import { itemsOf, problemsOfEvidence, readText } from "./helpers/evidence.ts";
import { it, suite } from "./helpers/suite.ts";

/** How many faults there are to be at least. */
const WANTED = 70;

/** `- **The fault.** What happens.` */
const FAULT = /^- \*\*(?<words>.+?\.)\*\* (?<happens>.+)$/;

suite("docs/reference/reliability.md", () => {
  it("says of each fault what happens, and a test shows it", async () => {
    const items = itemsOf((await readText("docs/reference/reliability.md"))!);
    const faults = items.map(({ section, lines }) => {
      const { words, happens } = FAULT.exec(lines[0]!)?.groups ?? {};
      assert(words && happens, `no fault and what happens: ${lines[0]}`);
      return { section, words };
    });
    assertEquals(await problemsOfEvidence(faults, evidence, readText), []);
    const words = faults.map(({ words }) => words);
    assertEquals(words.filter((fault, index) => words.indexOf(fault) !== index), [], "twice");
    assert(faults.length >= WANTED, `${faults.length} faults`);
  });
});
