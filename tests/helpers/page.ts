/** What a page of the docs has its reader do, step by step, and what it says that is seen then. */

/** A line that is typed. */
export interface Command {
  readonly kind: "command";
  /** Where it stands on the page, from 1. */
  readonly line: number;
  readonly text: string;
  /** What the page shows below it. A line `...` is for any number of lines. */
  readonly output: readonly string[];
}

/** A file that is written, or changed by a patch: the block below a line that ends with its name. */
export interface FileStep {
  readonly kind: "file" | "patch";
  readonly line: number;
  readonly path: string;
  readonly lines: readonly string[];
}

/** The steps of a page. A block of code that no line names is only looked at. */
export function stepsOf(page: string): readonly (Command | FileStep)[] {
  const lines = page.split(/\r?\n/);
  const steps: (Command | FileStep)[] = [];
  let path: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const [, language] = /^```(\w+)$/.exec(lines[at]!) ?? [];
    if (language === undefined) {
      if (lines[at] !== "") path = /`([^`]+)`:$/.exec(lines[at]!)?.[1];
      continue;
    }
    const begin = at + 1;
    at = lines.indexOf("```", at);
    const block = lines.slice(begin, at);
    if (language === "diff" && path === undefined) {
      throw new Error(`The line above line ${begin} names no file to change`);
    }
    if (language === "console") steps.push(...commandsOf(block, begin + 1));
    else if (path !== undefined) {
      const kind = language === "diff" ? "patch" : "file";
      steps.push({ kind, line: begin + 1, path, lines: block });
    }
    path = undefined;
  }
  return steps;
}

/** The commands of a block that begins at this line of the page. */
function commandsOf(block: readonly string[], begin: number): readonly Command[] {
  const starts = block.flatMap((line, index) => line.startsWith("$ ") ? [index] : []);
  return starts.map((start, index) => ({
    kind: "command",
    line: begin + start,
    text: block[start]!.slice(2),
    output: block.slice(start + 1, starts[index + 1]),
  }));
}

/** A text with a patch applied, whose lines begin with a space, `-` or `+`. */
export function patched(text: string, patch: readonly string[]): string {
  const side = (without: string) =>
    patch.filter((line) => !line.startsWith(without)).map((line) => `${line.slice(1)}\n`).join("");
  const [before, ...more] = text.split(side("+"));
  if (more.length !== 1) throw new Error(`The patch fits ${more.length} times:\n${side("+")}`);
  return before + side("-") + more[0];
}

/** The time in the name of a job. */
export const TIMES = /\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d-\d{3}/g;

/** What differs from run to run: times, sizes, digests. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [TIMES, "TIME"],
  [/\b[0-9a-f]{64}\b/g, "DIGEST"],
  [/\b\d+(\.\d+)? s\b/g, "N s"],
  [/\b\d+(\.\d+)? (bytes|[kM]B)\b/g, "N bytes"],
];

/**
 * Where what the page shows first differs from what came: the index of the line, or how many there
 * are where more came. `undefined` where nothing differs.
 */
export function firstDifference(
  shown: readonly string[],
  came: readonly string[],
): number | undefined {
  const same = (line: string): string =>
    CHANGING.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), line.trimEnd());
  let at = 0;
  for (const [index, line] of shown.entries()) {
    if (line === "...") continue;
    const skips = shown[index - 1] === "...";
    const found = came.findIndex((one, place) => place >= at && same(one) === same(line));
    if (found === -1 || !skips && found !== at) return index;
    at = found + 1;
  }
  return shown.at(-1) === "..." || at === came.length ? undefined : shown.length;
}
