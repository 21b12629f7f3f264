/**
 * The reason of a failure beside what the code itself wrote: what a person has read already is not
 * said again.
 *
 * @module
 */

/** Of a headline, in characters: it is to be read at a glance. */
const LONGEST_HEADLINE = 300;

/** Begins a traceback of Python's; what belongs to it is indented, up to the error itself. */
const TRACEBACK = "Traceback (most recent call last):";

/** A place in the code. It stands alone where a file that is run cannot be compiled. */
const FRAME = /^ {2}File ".*", line \d+/;

/** What `str()` adds to a SyntaxError, and its traceback does not have (CPython's `SyntaxError_str`). */
const PLACE = / \([^()]+, line \d+\)$/;

/** Between two tracebacks, where one error led to another (traceback.py, `_cause_message`). */
const BETWEEN =
  /^(The above exception was the direct cause|During handling of the above exception, another)/;

/** What SageMaker puts around the reason that the code gave. */
const BEFORE = /^AlgorithmError: /;
const AFTER = /,? ?exit code:? \d+$/i;

/**
 * The reason in one line: its first, or, of a bare traceback, the error at its end. `undefined` where
 * there is none.
 */
export function headlineOf(reason: string): string | undefined {
  const [first, ...rest] = linesOf(reason);
  const line = first?.trim().replace(BEFORE, "") === TRACEBACK
    ? rest.findLast((line) => !/^\s/.test(line)) ?? first
    : first;
  if (line === undefined) return undefined;
  const letters = [...line.trim()];
  if (letters.length <= LONGEST_HEADLINE) return letters.join("");
  return `${letters.slice(0, LONGEST_HEADLINE - 3).join("")}...`;
}

/**
 * Whether everything in a reason was in the output. Of a traceback only the errors count: a hook may
 * have shown its frames in another way.
 *
 * @param reason may be cut at its end.
 * @param output the end of what the code wrote, as it can be shown.
 */
export function isTold(reason: string, output: string): boolean {
  const lines = linesOf(reason.trim().replace(BEFORE, "").replace(AFTER, ""));
  const hasTraceback = lines.some((line) => line.trim() === TRACEBACK || FRAME.test(line));
  const said = lines.filter((line) => {
    if (!hasTraceback) return true;
    return line.trim() !== TRACEBACK && !BETWEEN.test(line) && !/^\s/.test(line);
  });
  const isIn = (line: string): boolean =>
    output.includes(line) || (hasTraceback && output.includes(line.replace(PLACE, "")));
  return said.length > 0 && said.every((line) => isIn(line.trim()));
}

/** What is left to say of a reason beside the end of a log: all of it, or its headline. */
export function untold(reason: string, log: readonly string[]): string {
  const isLong = reason.trim().includes("\n");
  return isLong && isTold(reason, log.join("\n")) ? headlineOf(reason) ?? reason : reason;
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}
