/** Text for a terminal, and names in it. */

/**
 * Text with `?` in place of what a terminal would obey, and of what hides or reorders letters. Lines
 * and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}

/** The same for a name, which may hold line ends, in a line. */
export function inOneLine(name: string): string {
  return printable(name).replace(/[\n\t]/g, "?");
}

/** What terminals obey: sequences that set colours, move the cursor, or set a title. */
// deno-lint-ignore no-control-regex
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])/g;

/**
 * A program's output as text: without colours, and without what a carriage return has overwritten,
 * such as all but the last state of a progress bar; otherwise as `printable` has it.
 */
export function terminalText(text: string): string {
  return printable(withoutSequences(text).split("\n").map(afterReturns).join("\n"));
}

/** Text without colours and the like. (`node:util` can do it, too, but takes 7 ms to load.) */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCE, "");
}

/**
 * What is left to see of a line after the returns in it: what comes behind one replaces what is
 * before it; behind the last, nothing may come.
 */
export function afterReturns(line: string): string {
  // Not by a pattern: those that say this take a time that grows with the square of the length.
  let end = line.length;
  while (line[end - 1] === "\r") end--;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

/**
 * Returns a value as JSON for people and programs. Characters that control a terminal, or that hide or
 * reorder letters, become `\\uXXXX`, which means the same in JSON.
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (letter) =>
      letter.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join(""),
  );
}

/** Returns a result as indented JSON, ending in a newline. */
export function jsonText(value: unknown): string {
  return `${printableJson(value, 2)}\n`;
}

/**
 * Returns text without the spaces and tabs around it, in linear time. Deno's `Headers`, and patterns that
 * begin with a class that also matches blanks, take quadratic time.
 */
export function withoutBlanks(text: string): string {
  return text.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, "");
}

/** Lists the first names, each in one line, and the number of the others. */
export function listed(names: readonly string[], most = 3): string {
  const more = names.length - most;
  return names.slice(0, most).map(inOneLine).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Joins sentences, without missing ones. Adds full stops between them; the last can be a command. */
export function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "")
    .reduce<string>((text, part) => `${text.replace(/(?<=[^.!?:])$/, ".")} ${part}`.trim(), "");
}

/** All of them: `a, b and c`. */
export function enumerated(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** One of them: `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** SHA-256, hexadecimal. (`node:crypto` can do it, too, but takes 17 ms to load.) */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(digest).toHex();
}

/** The name that is closest to what was written; `undefined` where none is close. */
export function closest(written: string, names: readonly string[]): string | undefined {
  const plain = plainOf(written);
  // Two wrong letters make another word of a short name.
  const mostWrong = (name: string): number => name.length < 6 ? 1 : 2;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = distanceOf(plain, plainOf(name));
    if (distance > mostWrong(name) || best !== undefined && distance >= best.distance) continue;
    best = { name, distance };
  }
  return best?.name;
}

/** Without what separates words, and capitals: `instanceCount`, `instance-count`. */
function plainOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Returns how many letters are inserted, left out, replaced, or swapped with the next one. */
export function distanceOf(a: string, b: string): number {
  // The time grows with the square of the length, and names of this length are not typed.
  if (Math.abs(a.length - b.length) > 2 || a.length > 200) return Infinity;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(Math.min(
        row[j]! + 1,
        next[j - 1]! + 1,
        row[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[j - 2]! + 1 : Infinity,
      ));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}

/** What `JSON.parse` calls with each value; the text of a number or a string as it is written. */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Parses JSON, also after a byte order mark: some editors on Windows put one there.
 * @throws SyntaxError
 */
export function parseJson(text: string, reviver?: Reviver): unknown {
  // TypeScript's library does not know the third parameter yet.
  return JSON.parse(text.replace(/^\uFEFF/, ""), reviver as Parameters<typeof JSON.parse>[1]);
}

/** Returns what is wrong with a text that `parseJson` refused, in one line, and how to correct it. */
export function jsonProblem(
  { message }: Error,
): { readonly reason: string; readonly hint: string } {
  // V8 quotes the text if it is short.
  const reason = inOneLine(message.replace(/, (\.{3})?"[^]*" is not valid JSON$/, ""));
  const hint = reason.includes("escaped character")
    ? String.raw`Write each backslash twice, as in "loss=(\\S+)"`
    : /token '[TFN]'/.test(reason)
    ? "Write true, false or null in lower case"
    : "JSON allows neither comments nor trailing commas";
  return { reason, hint };
}

/** Not in TypeScript's library yet: "JSON.parse source text access", stage 4. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** Whether a value is a number that `asWritten` kept. */
export const isRawNumber = isRawJSON;

/** Keeps numbers as they are written: a seed of 20 digits, 1.0 or 1e-3 must arrive unchanged. */
export function asWritten(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === "number" && context.source !== undefined
    ? rawJSON(context.source)
    : value;
}

/** The JSON object that a text is; `undefined` where it is none. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Text with what `%` encodes; a `%` may also stand for itself. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a JSON value is an object: neither an array nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an entry of a record, not what every object inherits: a metric may be called `constructor`. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** A JSON value's type with its article, for messages. */
export function nameOfType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A word for a command that the user can paste: quoted where a shell needs it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
