/**
 * Messages of mlcli: errors, warnings, notes and hints.
 *
 * @module
 */

import type { Output } from "./streams.ts";
import { wrap } from "./wrap.ts";

/** Where messages are printed. */
export type Told = Pick<Output, "print" | "isTerminal" | "columns">;

/** What begins a message; its further lines stand below its text. */
const BEGINNING = /^(error|warning|note|hint): /;

/**
 * Prints messages: on a terminal broken at its width, between words; for a program as they are, a
 * line each. What is indented already, such as the end of a log, is left as it is.
 *
 * @param text as `warningText`, `noteText` and `errorText` make it.
 */
export function tell(out: Told, text: string): void {
  out.print(out.isTerminal ? text.split("\n").map((line) => broken(line, out)).join("\n") : text);
}

function broken(line: string, { columns }: Told): string {
  if (/^\s/.test(line)) return line;
  const [beginning = ""] = BEGINNING.exec(line) ?? [];
  return beginning + wrap(line.slice(beginning.length), columns, beginning.length);
}
