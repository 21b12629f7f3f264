/** Finds out why a step of a build failed. */

import { normalizedName } from "../contract/missing_modules.ts";
import {
  ABOVE,
  APT,
  APT_NETWORK,
  MISSING,
  NETWORK,
  NO_PACKAGE,
  NOT_FOUND,
  PACKAGES,
  PIP,
  type Row,
  UPDATE,
} from "./failure_words.ts";
import { absentIn, versionHint } from "./version_hint.ts";

export interface FailedStep {
  /** In one line: `[3/9] RUN make` */
  readonly name: string;
  /** Its output, as `terminalText` has it, and the builder's error. */
  readonly lines: readonly string[];
  /** As the user would type it. */
  readonly dockerfile: string;
  /** The requirements file, as the user would type it. */
  readonly file: string;
  /** The setting of another Python: `another "base_image" in flats.json` */
  readonly python: string;
  /** The way to pass this machine's network settings to pip. */
  readonly networkHint?: string | undefined;
  /** The line that requires a distribution: `requirements.txt, line 3`. */
  readonly lineOf: (distribution: string) => string | undefined;
  /** A file that pip reads in the image, as the user would type it; empty: unknown. */
  readonly shownFile: (path: string) => string;
}

export interface Cause {
  /** The decisive line, which ends the error's message. */
  readonly words: string;
  /** Lines that explain it. */
  readonly quote?: string;
  readonly hint: string;
}

const ABSENT = /No matching distribution|satisfies the requirement|not found in the package/;

/** Returns why a step failed; undefined if its output does not tell. */
export function buildCause(step: FailedStep): Cause | undefined {
  const absent = absentIn(step.lines);
  if (absent !== undefined) {
    const network = absent.versions.length === 0 ? networkCause(step, absent.name) : undefined;
    const match = lastMatch(step.lines, ABSENT)!;
    return network ??
      causeOf(step, match, versionHint(absent), { distribution: absent.by ?? absent.name });
  }
  const hasList = /\bapt(?:-get)? .{0,80}\bupdate\b/.test(step.name) ||
    step.lines.some((line) => /^(?:Get|Hit):\d+ /.test(line));
  return rowCause(step, PIP) ?? missingProgram(step) ??
    rowCause(step, [APT_NETWORK, ...hasList ? [] : [[NO_PACKAGE, UPDATE] as const], ...APT]) ??
    networkCause(step);
}

function rowCause(step: FailedStep, rows: readonly Row[]): Cause | undefined {
  for (const [words, hint, quoted] of rows) {
    const match = lastMatch(step.lines, words);
    if (!match) continue;
    // Not those after it alone: standard output and error are mixed in any order.
    const lines = step.lines.filter((line) => quoted?.test(line)).slice(0, 6);
    return { ...causeOf(step, match, hint), quote: lines.map(decisiveWords).join("\n") };
  }
}

/** @param distribution Lines about others do not count: pip retries, and might have reached them. */
function networkCause(step: FailedStep, distribution?: string): Cause | undefined {
  const page = distribution && `/simple/${normalizedName(distribution)}/`;
  const lines = step.lines.filter((line) =>
    page === undefined || !line.includes("/simple/") || line.toLowerCase().includes(page)
  );
  const cause = rowCause({ ...step, lines }, NETWORK);
  return cause && { ...cause, hint: step.networkHint ?? cause.hint };
}

/** Returns the last program that was missing, because earlier ones might be optional. */
function missingProgram(step: FailedStep): Cause | undefined {
  const isShells = /\b127\b/.test(step.lines.at(-1) ?? "");
  const match = lastMatch(step.lines, MISSING) ??
    (isShells ? lastMatch(step.lines, NOT_FOUND) : undefined);
  const word = match?.slice(1).find(Boolean) ?? "";
  const packages = PACKAGES.get(word) ?? PACKAGES.get(word.toLowerCase());
  if (!match || packages === undefined) return undefined;
  const before = step.lines.slice(0, step.lines.lastIndexOf(match.input));
  const collecting = lastMatch(
    before,
    /^\s*(?:Building wheel for|Collecting|Obtaining) ([\w.-]+)(?![\w.+:-])/,
  ) ?? lastMatch(before, /^\s*(?:Collecting|Obtaining) ()/);
  const isCompiled = !/Cannot find command|Git exec|: not found$/.test(match.input);
  const name = isCompiled && collecting?.[1] || "";
  const other = name === "psycopg2" ? "psycopg2-binary" : "a version that has one";
  const first = name &&
    `${name} has no wheel for the image's Python: use ${other}, or compile it. `;
  // Terminals of 80 columns break no line of it.
  const start = `RUN apt-get update && apt-get install -y${packages.length > 36 ? " \\\n   " : ""}`;
  const line = `${start} ${packages.replaceAll("+", " ")}`;
  const hint = `${first}${ABOVE} (Debian, Ubuntu):\n  ${line}`;
  return causeOf(step, match, hint, {
    distribution: collecting?.[1] ?? "",
    told: collecting?.input,
  });
}

export function lastMatch(lines: readonly string[], words: RegExp): RegExpExecArray | undefined {
  for (const line of lines.toReversed()) {
    const match = words.exec(line);
    if (match) return match;
  }
}

/** Where pip finds a requirement: `(from -r FILE (line 3))` */
const PLACE = /-r (\S{1,300}) \(line (\d{1,7})\)|\(from line (\d{1,7}) of (\S{1,300}?)\)/;

interface Requirement {
  /** Its line counts if pip does not name a place; default: the first group. */
  readonly distribution?: string;
  /** The words of pip that can name a place; default: the matching line and three more. */
  readonly told?: string | undefined;
}

/** Returns the cause in a line, with the values of the step in its hint. */
function causeOf(
  step: FailedStep,
  match: RegExpExecArray,
  hint: string,
  { distribution, told }: Requirement = {},
): Cause {
  const at = step.lines.lastIndexOf(match.input);
  const [, path, number, later, file] =
    PLACE.exec(told ?? step.lines.slice(at, at + 4).join("\n")) ?? [];
  const shown = step.shownFile(path ?? file ?? "");
  const place = shown
    ? `${shown}, line ${number ?? later}`
    : step.lineOf(distribution ?? match[1] ?? "");
  const { dockerfile, python } = step;
  const values = { dockerfile, python, file: step.file, place: place ?? step.file };
  const filled = hint.replace(
    /\$(\d)|\{(\w+)\}/g,
    (_, group, name: keyof typeof values) => (group ? match[group] : values[name]) ?? "",
  );
  const words = decisiveWords(match.input).replace(
    `-r ${path} (line ${number})`,
    () => place ?? "",
  );
  return {
    words: place === undefined || words.includes(place) ? words : `${words} (${place})`,
    hint: filled,
  };
}

/** In characters: commands and lists of versions can be long. */
const LONGEST = 200;

/** Returns a line without the mark of an error, and without pip's words for a place. */
export function decisiveWords(line: string): string {
  const words = line.trim().replace(
    /^(?:(?:Build failed|mlcli|ERROR|error|Error|E|fatal|cause): ?)+/,
    "",
  )
    .replace(/ ?\(from (?:-r|line \d).{0,300}/, "").replace(/^(.{60,}?)\. [A-Z].*/, "$1");
  return words.length > LONGEST ? `${words.slice(0, LONGEST).toWellFormed()}...` : words;
}
