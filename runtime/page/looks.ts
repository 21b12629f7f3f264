/** How the curves of a run look. Each colour has three to one against white and the dark background. */

const COLOURS = [
  ...["#3b82f6", "#d97706", "#16a34a", "#ef4444", "#a855f7"],
  ...["#0d9488", "#ec4899", "#a16207", "#0891b2", "#6b7280"],
] as const;

/** The second run of a colour has dashes, the third dots: lengths of dashes and gaps, in pixels. */
const DASHES = [[], [8, 4], [2, 3]] as const;

/** Runs whose curves were ever shown. */
const shown: string[] = [];

/** That of a run stays as long as the page is open. */
export function lookOf(run: string): { colour: string; dash: readonly number[] } {
  if (!shown.includes(run)) shown.push(run);
  const place = shown.indexOf(run);
  const round = Math.floor(place / COLOURS.length);
  return { colour: COLOURS[place % COLOURS.length]!, dash: DASHES[round % DASHES.length]! };
}
