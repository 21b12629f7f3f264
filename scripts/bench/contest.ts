/**
 * Comparing mlcli with several others at once: all in turn, several times, as in `measure.ts`; the
 * medians, and how each goal was met.
 */

import { layOut, median } from "./measure.ts";

/** What was measured: a number in the contest's unit, or why there is none ("no answer"). */
export type Figure = number | string;

/** A limit in the contest's unit, or, with `of`, a ratio to another contender or the best of them. */
export type Goal =
  & ({ readonly atMost: number } | { readonly atLeast: number })
  & { readonly of?: string };

/** The goals' name for the others' best figure. */
export const THE_BEST = "the best";

/** What is compared, and what is hoped for. */
export interface Contest {
  readonly title: string;
  readonly unit: string;
  /** mlcli first. */
  readonly contenders: readonly string[];
  /** Does it once. */
  readonly measure: (contender: string) => Promise<Figure>;
  readonly goals: readonly Goal[];
  /** How often each is measured, after one time that does not count. */
  readonly rounds: number;
}

/** A median for each contender, in their order. */
export interface ContestOutcome {
  readonly contest: Contest;
  readonly figures: readonly Figure[];
}

/** Measures all in turn. */
export async function runContest(contest: Contest): Promise<ContestOutcome> {
  const measured: Figure[][] = contest.contenders.map(() => []);
  for (let round = 0; round <= contest.rounds; round++) {
    for (const [index, contender] of contest.contenders.entries()) {
      const figure = await contest.measure(contender);
      if (round > 0) measured[index]!.push(figure); // caches are warm from here on
    }
  }
  return { contest, figures: measured.map(summary) };
}

/** The median; or, where one time gave no number, why not. */
function summary(figures: readonly Figure[]): Figure {
  const failure = figures.find((figure) => typeof figure === "string");
  return failure ?? median(figures.filter((figure) => typeof figure === "number"));
}

/** What a goal asks for and whether it was met: `at least 0.8 of the best: 0.97, met`. */
export function goalText(goal: Goal, { contest, figures }: ContestOutcome): string {
  const [limit, wanted] = "atMost" in goal
    ? [goal.atMost, `at most ${goal.atMost}`]
    : [goal.atLeast, `at least ${goal.atLeast}`];
  const text = `${wanted} ${goal.of ? `of ${goal.of}` : contest.unit}`;
  const [ours] = figures;
  if (typeof ours !== "number") return `${text}: MISSED`;
  const isMet = (value: number) => "atMost" in goal ? value <= limit : value >= limit;
  if (!goal.of) return `${text}: ${isMet(ours) ? "met" : "MISSED"}`;
  const theirs = figureOf(goal, contest, figures);
  if (theirs === undefined) return `${text}, who fails: met`;
  const ratio = ours / theirs;
  return `${text}: ${ratio.toFixed(2)}, ${isMet(ratio) ? "met" : "MISSED"}`;
}

/** The figure that a goal compares with; `undefined` where there is none. */
function figureOf(
  goal: Goal,
  { contenders }: Contest,
  figures: readonly Figure[],
): number | undefined {
  const numbers = contenders.flatMap((contender, index) => {
    const figure = figures[index];
    const counts = goal.of === THE_BEST ? index > 0 : contender === goal.of;
    return counts && typeof figure === "number" ? [figure] : [];
  });
  if (numbers.length === 0) return undefined;
  return "atMost" in goal ? Math.min(...numbers) : Math.max(...numbers);
}

/** The outcomes as a table with a column for each contender, the goals below it. */
export function contestTable(outcomes: readonly ContestOutcome[]): string {
  const [first] = outcomes;
  if (!first) return "";
  const rows = outcomes.map(({ contest: { title, unit }, figures }, index) => [
    `${index + 1}. ${title}, ${unit}`,
    ...figures.map(figureText),
  ]);
  const goals = outcomes.map((outcome, index) =>
    `${index + 1}. ${outcome.contest.goals.map((goal) => goalText(goal, outcome)).join("; ")}\n` +
    `   medians of ${outcome.contest.rounds}, in turn`
  );
  return [layOut(["", ...first.contest.contenders], rows), "", ...goals].join("\n");
}

function figureText(figure: Figure): string {
  if (typeof figure === "string") return figure;
  return figure.toFixed(figure < 100 ? 1 : 0);
}
