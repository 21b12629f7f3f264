/** What a page of the docs has its reader do, step by step, and what it says that is seen then. */

/** A command that is typed, or a file that is written, or changed by a patch. */
export interface Step {
  readonly kind: "command" | "file" | "patch";
  /** Where it begins on the page, from 1. */
  readonly line: number;
  /** The command, or the path of the file. */
  readonly what: string;
  /** What the command prints, what is in the file, or the patch. */
  readonly lines: string[];
}

/** A block of code, and the line above it. */
const BLOCK = /^(.*)\n\n```(\w+)\n([^]*?)\n(?=```$)/gm;

/** The steps of a page. A block whose line above does not end with a file's name is no step. */
export function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  for (const { 1: above = "", 2: language, 3: block = "", index } of page.matchAll(BLOCK)) {
    const begin = page.slice(0, index).split("\n").length + 3;
    const what = /`([^`]+)`:$/.exec(above)?.[1];
    const lines = block.split("\n");
    if (language === "console") {
      for (const [at, line] of lines.entries()) {
        if (!line.startsWith("$ ")) steps.at(-1)!.lines.push(line);
        else steps.push({ kind: "command", line: begin + at, what: line.slice(2), lines: [] });
      }
    } else if (what !== undefined) {
      steps.push({ kind: language === "diff" ? "patch" : "file", line: begin, what, lines });
    } else if (language === "diff") throw new Error(`Line ${begin - 3} names no file to change`);
  }
  return steps;
}

/** A text with a patch applied, whose lines begin with a space, `-` or `+`. */
export function patched(text: string, patch: readonly string[]): string {
  const [before, after] = ["+", "-"].map((other) =>
    patch.filter((line) => !line.startsWith(other)).map((line) => `${line.slice(1)}\n`).join("")
  );
  const parts = text.split(before!);
  if (parts.length !== 2) throw new Error(`It is there ${parts.length - 1} times:\n${before}`);
  return parts.join(after);
}

/** The time in the name of a job. */
export const TIMES = /\d{4}(-\d\d){5}-\d{3}/g;

/** A line without what differs from run to run: times, sizes, digests. */
function steady(line: string): string {
  return line.trimEnd().replace(TIMES, "TIME").replace(/\b[0-9a-f]{64}\b/, "DIGEST")
    .replaceAll(/\b\d+(\.\d+)? (s|bytes|[kM]B)\b/g, "N");
}

/**
 * Where the lines that a page shows first differ from those that came: an index of `shown`, or its
 * length where more came. A line `...` is for any number of lines. `undefined`: nowhere.
 */
export function firstDifference(
  shown: readonly string[],
  came: readonly string[],
): number | undefined {
  let at = 0;
  for (const [index, line] of shown.entries()) {
    if (line === "...") continue;
    const found = came.findIndex((one, place) => place >= at && steady(one) === steady(line));
    if (found === -1 || (found !== at && shown[index - 1] !== "...")) return index;
    at = found + 1;
  }
  return at === came.length || shown.at(-1) === "..." ? undefined : shown.length;
}
