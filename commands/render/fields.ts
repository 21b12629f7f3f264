/** Fields of one thing, a line each. */

import { inOneLine, printable } from "../../runtime/text.ts";

export type Field = readonly [name: string, value: string | undefined];

/** What is not known is left out. */
export function fieldsText(fields: readonly Field[]): string {
  return fields.filter(([, value]) => value !== undefined).map(([name, value]) =>
    `${`${name}:`.padEnd(16)}${indented(value!)}\n`
  ).join("");
}

/** A reason may have several lines. */
function indented(value: string): string {
  return printable(value.trimEnd()).split("\n").map(inOneLine).join(`\n${" ".repeat(16)}`);
}
