/** Lists of jobs and endpoints as text. */

import type { Output } from "../../runtime/streams.ts";
import { inOneLine } from "../../runtime/text.ts";
import { durationText, green, localTimestamp, red, yellow } from "../render/format.ts";
import { fittingTableText } from "../render/table.ts";

/** What jobs and endpoints have in common. */
interface Listed {
  readonly name: string;
  readonly status: string;
  readonly creationTime: Date;
}

/**
 * Name, status and time.
 *
 * @param now for the age instead of the time, which stays the same for a program.
 */
export function listRow({ name, status, creationTime }: Listed, now?: Date): readonly string[] {
  const time = now === undefined
    ? localTimestamp(creationTime, " ")
    : durationText(now.getTime() - creationTime.getTime());
  return [inOneLine(name), inOneLine(status), time];
}

/** A line a row; on a terminal with headings. */
export function listText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  out: Output,
): string {
  const status = headings.indexOf("STATUS");
  return fittingTableText(
    headings,
    rows,
    out,
    (field, column) => column === status ? painted(field) : field,
  );
}

function painted(status: string): string {
  if (status === "Completed" || status === "InService") return green(status);
  return /Failed$/.test(status) ? red(status) : yellow(status);
}
