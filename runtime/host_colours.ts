/** Of a terminal's own: cyan, yellow, magenta, green, blue, and their bright ones. Red is for errors. */
const COLOURS = [36, 33, 35, 32, 34, 96, 93, 95, 92, 94];

/** The colour of `algo-1`, as a terminal's number (SGR): hosts with numbers in a row differ in it. */
export function hostColour(name: string): number {
  const number = Number(/\d+$/.exec(name)?.[0] ?? 1);
  return COLOURS[(number + COLOURS.length - 1) % COLOURS.length]!;
}

/** Whole lines, in which the names of hosts that stand before them have their colours. */
export function withHostColours(lines: string): string {
  return lines.replace(/^algo-\d+(?=: )/gm, (name) => `\x1b[${hostColour(name)}m${name}\x1b[39m`);
}
