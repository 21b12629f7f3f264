import { assert, assertEquals } from "@std/assert";
import {
  LONGEST_LINE,
  metricProblems,
  MetricSearch,
  MOST_STEPS,
} from "../../../runtime/contract/metric_values.ts";
import { it, suite } from "../../helpers/suite.ts";

const search = (...regexes: readonly string[]): MetricSearch =>
  new MetricSearch(regexes.map((regex, index) => ({ name: `m${index}`, regex })));

suite("MetricSearch", () => {
  const rows: readonly (readonly [
    regex: string,
    line: string,
    text: string | undefined,
    value?: number,
  ])[] = [
    ["loss=([0-9.]+)", "epoch 1 loss=0.25 acc=1", "0.25", 0.25],
    ["loss=([0-9.]+)", "loss=1 loss=2", "1", 1],
    ["loss=([0-9.]+)", "gain=1", undefined],
    ["loss: (\\S+)", "loss: 1e-3", "1e-3", 0.001],
    ["loss: (\\S+)", "loss: -.5", "-.5", -0.5],
    ["loss: (\\S+)", "loss: 5.", "5.", 5],
    ["loss: (\\S+)", "loss: +7", "+7", 7],
    ["loss: (.*)", "loss:  7 ", " 7 ", 7],
    ["loss: (\\S+)", "loss: nan", "nan"],
    ["loss: (\\S+)", "loss: inf", "inf"],
    ["loss: (\\S+)", "loss: 12%", "12%"],
    ["loss: (\\S+)", "loss: 0x10", "0x10"],
    ["loss: (\\S+)", "loss: 1e999", "1e999"],
    ["loss: (\\S*)", "loss: ", "", undefined],
    ["(?i)LOSS=(\\d+)", "Loss=3", "3", 3],
    ["(?P<v>\\d+) loss", "3 loss", "3", 3],
    // As in SageMaker's log, and as it is.
    [".*\\[[0-9]+\\].*#011validation-auc:(\\S+)", "[3]\tvalidation-auc:0.9", "0.9", 0.9],
    ["\\tvalidation-auc:(\\S+)", "[3]\tvalidation-auc:0.9", "0.9", 0.9],
    // A group that took no part.
    ["(a)|b", "b", undefined],
  ];
  for (const [regex, line, text, value] of rows) {
    it(`${regex} in ${JSON.stringify(line)}`, () => {
      const [found] = search(regex).in(line);
      assertEquals([found?.text, found?.value], [text, value]);
    });
  }

  it("takes from a line what each definition finds", () => {
    assertEquals(search("a=(\\d)", "c=(\\d)", "b=(\\d)").in("a=1 b=2"), [
      { index: 0, name: "m0", text: "1", value: 1 },
      { index: 2, name: "m2", text: "2", value: 2 },
    ]);
  });

  it("needs no more time for an expression that would hang others", () => {
    const line = "a".repeat(4096);
    const { in: found } = { in: (regex: string) => search(regex).in(line) };
    for (const regex of ["(a+)+$b", "(a|a)*b", "(.*)*=(.*)*;(.*)*b", "((a?){50}){10}b"]) {
      assertEquals(found(regex), [], regex);
    }
  });

  const large = "(" + ".{0,999}".repeat(50) + ")";
  const sizes: readonly (readonly [name: string, regexes: readonly string[], tried: number])[] = [
    ["forty of SageMaker's own", Array(40).fill(".*\\[[0-9]+\\].*#011validation-auc:(\\S+)"), 40],
    ["forty as long as they may be", Array(40).fill(`${"a".repeat(494)}=(.)`), 8],
    ["one that is written out", [large], 0],
    ["forty of these", Array(40).fill(large), 0],
    ["one after a small one", ["a=(.)", large, large, "b=(.)"], 1],
    ["none is read after one", [large, "(", "no group"], 0],
    ["letters of all languages", ["(\\pL{999})", "(" + "\\pL{999}".repeat(5) + ")"], 1],
    ["repetitions in repetitions", ["((a?){50}){10}b", "(" + "a?".repeat(230) + "){1000}"], 1],
    ["many small ones", Array(40).fill("(.{0,99})"), 19],
  ];
  for (const [name, regexes, tried] of sizes) {
    it(`has a limit for what searching costs: ${name}`, () => {
      const searched = search(...regexes);
      assertEquals(searched.unusable.length, regexes.length - tried);
      assert(searched.costOf("a".repeat(LONGEST_LINE)) <= MOST_STEPS * (LONGEST_LINE + 10));
      for (const { definition, isWrong, reason } of searched.unusable) {
        assertEquals([regexes.includes(definition.regex), isWrong], [true, false]);
        assertEquals(
          reason,
          "together with the earlier regexes, it is too large (more than 4000 steps)",
        );
      }
      assert(searched.in("a=1").every(({ index }) => index < tried));
    });
  }

  it("looks at no more of a line where its control characters are written out", () => {
    const line = `${"\t".repeat(1023)}a=12`;
    assertEquals(search("#011a=(\\d)").in(line.slice(1))[0]?.text, "1");
    assertEquals(search("#011a=(\\d)", "011(a)").in(line).map(({ text }) => text), ["1", "a"]);
    assertEquals(search("#011a=(\\d)").in(`\t${line}`), []);
  });

  const wrong: readonly (readonly [regex: string, isWrong: boolean])[] = [
    ["loss=([0-9.]+", true],
    ["loss=[0-9", true],
    ["*(x)", true],
    ["loss=[0-9.]+", true],
    ["(?<=loss=)(\\d+)", false],
    ["(?i)(?<=loss=)(\\d+)", false],
    ["(a)\\1", false],
  ];
  for (const [regex, isWrong] of wrong) {
    it(`${isWrong ? "means nothing" : "is not tried"}: ${regex}`, () => {
      const { unusable } = search(regex, "x=(\\d)");
      assertEquals(unusable.map((one) => [one.definition.regex, one.isWrong]), [[regex, isWrong]]);
      const [problem] = metricProblems(unusable, "churn.json");
      assert(problem!.message.includes('"m0"'), problem!.message);
      // The others are searched for.
      assertEquals(search(regex, "x=(\\d)").in("x=1").map(({ index }) => index), [1]);
    });
  }
});
