import { assertEquals } from "@std/assert";
import {
  type Contest,
  contestTable,
  type Figure,
  type Goal,
  goalText,
  runContest,
  THE_BEST,
} from "../../../scripts/bench/contest.ts";

const CONTENDERS = ["mlcli", "a", "b", "c"];

function contest(part: Partial<Contest>): Contest {
  return {
    title: "t",
    unit: "ms",
    contenders: CONTENDERS,
    measure: () => Promise.reject(new Error("not measured")),
    goals: [],
    rounds: 3,
    ...part,
  };
}

Deno.test("a contest", async (t) => {
  await t.step("measures all in turn, and leaves the first round out of the medians", async () => {
    const asked: string[] = [];
    const outcome = await runContest(contest({
      rounds: 3,
      measure: (contender) => {
        asked.push(contender);
        const round = Math.ceil(asked.length / CONTENDERS.length);
        return Promise.resolve(round === 1 ? 1_000 : round + CONTENDERS.indexOf(contender));
      },
    }));
    assertEquals(asked, [...CONTENDERS, ...CONTENDERS, ...CONTENDERS, ...CONTENDERS]);
    assertEquals(outcome.figures, [3, 4, 5, 6]);
  });

  await t.step("has no figure for who fails once", async () => {
    let asked = 0;
    const measure = () => Promise.resolve(++asked === 6 ? "no answer" : 7);
    assertEquals((await runContest(contest({ measure }))).figures, [7, "no answer", 7, 7]);
  });
});

Deno.test("the text of a goal", () => {
  const rows: readonly (readonly [Goal, readonly Figure[], string])[] = [
    [{ atMost: 6 }, [6, 1, 1, 1], "at most 6 ms: met"],
    [{ atMost: 6 }, [6.1, 9, 9, 9], "at most 6 ms: MISSED"],
    [{ atMost: 6 }, ["no answer", 9, 9, 9], "at most 6 ms: MISSED"],
    [{ atLeast: 0.8, of: THE_BEST }, [8, 2, 10, 4], "at least 0.8 of the best: 0.80, met"],
    [{ atLeast: 0.8, of: THE_BEST }, [7, 2, 10, 4], "at least 0.8 of the best: 0.70, MISSED"],
    [{ atLeast: 0.8, of: THE_BEST }, [20, 2, 10, 4], "at least 0.8 of the best: 2.00, met"],
    [{ atMost: 1.5, of: THE_BEST }, [3, 2, 10, 4], "at most 1.5 of the best: 1.50, met"],
    [{ atMost: 1.5, of: THE_BEST }, [4, 2, 10, 4], "at most 1.5 of the best: 2.00, MISSED"],
    [{ atMost: 1, of: "b" }, [4, 2, 8, 4], "at most 1 of b: 0.50, met"],
    [{ atMost: 1, of: "a" }, [4, "no answer", 8, 4], "at most 1 of a, who fails: met"],
    [{ atMost: 1, of: THE_BEST }, [4, "no answer", 8, 4], "at most 1 of the best: 1.00, met"],
  ];
  for (const [goal, figures, text] of rows) {
    assertEquals(goalText(goal, { contest: contest({}), figures }), text);
  }
});

Deno.test("the table of contests has a column for each contender", () => {
  const goals: readonly Goal[] = [{ atMost: 2_000 }, { atMost: 1, of: "a" }];
  const outcomes = [
    { contest: contest({ title: "quick", goals }), figures: [3.14, 42, "no answer", 1234.5] },
  ];
  assertEquals(
    contestTable(outcomes),
    `              mlcli     a          b     c
1. quick, ms    3.1  42.0  no answer  1235

1. at most 2000 ms: met; at most 1 of a: 0.07, met
   medians of 3, in turn`,
  );
});
