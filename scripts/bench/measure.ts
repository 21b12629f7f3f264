/**
 * Comparing two ways of doing the same: both in turn, several times, so that a machine that grows
 * slower or faster meanwhile does so for both; the medians, and their ratio.
 */

/** One way of doing it. */
export interface Contender {
  /** The command line, as a reader would type it. */
  readonly command: string;
  /** Does it once and returns what was measured. */
  readonly measure: () => Promise<number>;
}

/** What is compared, and what is hoped for. */
export interface Comparison {
  readonly title: string;
  readonly unit: "ms" | "requests/s" | "records/s" | "MB" | "kB";
  readonly ours: Contender;
  readonly theirs: Contender;
  readonly goal: { readonly atMost: number } | { readonly atLeast: number };
  /** How often each is measured, after one time that does not count. */
  readonly rounds: number;
}

/** Medians in the comparison's unit. */
export interface Outcome {
  readonly comparison: Comparison;
  readonly ours: number;
  readonly theirs: number;
  /** Ours divided by theirs. */
  readonly ratio: number;
  readonly isMet: boolean;
}

/** Measures both in turn. */
export async function compare(comparison: Comparison): Promise<Outcome> {
  const { ours, theirs, rounds, goal } = comparison;
  const oursMeasured: number[] = [];
  const theirsMeasured: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const figures = [await ours.measure(), await theirs.measure()] as const;
    if (round === 0) continue; // caches are warm from here on
    oursMeasured.push(figures[0]);
    theirsMeasured.push(figures[1]);
  }
  const oursMedian = median(oursMeasured);
  const theirsMedian = median(theirsMeasured);
  const ratio = oursMedian / theirsMedian;
  const isMet = "atMost" in goal ? ratio <= goal.atMost : ratio >= goal.atLeast;
  return { comparison, ours: oursMedian, theirs: theirsMedian, ratio, isMet };
}

/** The middle one, or the mean of the two in the middle. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 1 ? middle : middle - 1];
  if (upper === undefined || lower === undefined) throw new RangeError("No figures");
  return (lower + upper) / 2;
}

/** The outcomes as a table, the commands below it. */
export function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome, index) => [
    `${index + 1}. ${outcome.comparison.title}`,
    figure(outcome.ours, outcome.comparison.unit),
    figure(outcome.theirs, outcome.comparison.unit),
    outcome.ratio.toFixed(2),
    goalText(outcome),
  ]);
  const commands = outcomes.map(({ comparison }, index) =>
    `${index + 1}. ${comparison.ours.command}\n   against ${comparison.theirs.command}\n` +
    `   medians of ${comparison.rounds}, in turn`
  );
  return [layOut(["", "mlcli", "other", "ratio", "goal"], rows), "", ...commands].join("\n");
}

/** Rows under a heading; all columns but the first are of figures. */
export function layOut(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]!.length))
  );
  const line = (row: readonly string[]): string =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
    ).join("  ").trimEnd();
  return [header, ...rows].map(line).join("\n");
}

function figure(value: number, unit: Comparison["unit"]): string {
  return `${value.toFixed(0)} ${unit}`;
}

function goalText({ comparison: { goal }, isMet }: Outcome): string {
  const text = "atMost" in goal ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`;
  return `${text}: ${isMet ? "met" : "MISSED"}`;
}
