/** The colour of each host of a job, in which its name stands before its lines on a terminal. */

/** Of a terminal's own: cyan, yellow, magenta, green, blue, and their bright ones. Red is for errors. */
const COLOURS = [36, 33, 35, 32, 34, 96, 93, 95, 92, 94];

/** The colour of `algo-1`, as a terminal's number (SGR): those of hosts with numbers in a row differ. */
export function hostColour(name: string): number {
  const number = Number(/\d+$/.exec(name)?.[0] ?? 1);
  return COLOURS[(number + COLOURS.length - 1) % COLOURS.length]!;
}

/** What `linePrefix` and a local run put before each line of one of several hosts. */
const HOST = /^algo-\d+(?=: )/gm;

/** Whole lines, with the names of hosts before them in their colours. */
export function withHostColours(lines: string): string {
  return lines.replace(HOST, (name) => `\x1b[${hostColour(name)}m${name}\x1b[39m`);
}
