/**
 * What an engine says, as it can be shown: it may be another program, or of any length.
 *
 * @module
 */

import { printable } from "../text.ts";

/** So much of it is shown, in characters: from its beginning, and, of what is longer, its end. */
const BEGINNING = 700;
const END = 300;

/** The engine's words without what a terminal would obey; what is left out of long ones is said. */
export function engineWords(text: string): string {
  const left = text.length - BEGINNING - END;
  if (left <= 0) return printable(text);
  // A character of two halves may be cut.
  const [first, last] = [text.slice(0, BEGINNING), text.slice(-END)].map((part) =>
    printable(part.toWellFormed())
  );
  return `${first} ... (${left} characters left out) ... ${last}`;
}

/** Whether it is a page for people, as proxies and other servers answer. */
export function isPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|\?xml)\b/i.test(text);
}
