/** The colours of runs: each has three to one against white and against the dark background. */

const COLOURS = [
  ...["#3b82f6", "#d97706", "#16a34a", "#ef4444", "#a855f7"],
  ...["#0d9488", "#ec4899", "#a16207", "#0891b2", "#6b7280"],
] as const;

export function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length]!;
}
