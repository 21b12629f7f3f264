/**
 * JSON that somebody else wrote.
 *
 * @module
 */

/** What `JSON.parse` calls with each value; the text of a number or a string as it is written. */
export type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Parses JSON, also after a byte order mark: some editors on Windows put one there.
 * @throws SyntaxError
 */
export function parseJson(text: string, reviver?: Reviver): unknown {
  // TypeScript's library does not know the third parameter yet.
  return JSON.parse(text.replace(/^\uFEFF/, ""), reviver as Parameters<typeof JSON.parse>[1]);
}

/** Whether a JSON value is an object: neither an array nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON value's type with its article, for messages. */
export function nameOfType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
