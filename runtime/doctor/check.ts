/**
 * What a check of `mlcli doctor` found.
 *
 * @module
 */

import { messageOf, MlcliError } from "../errors.ts";

/** One finding: a line for the reader. */
export interface Check {
  /** What was looked at: `engine`, `disk`, `image`, ... */
  readonly name: string;
  /** `problem`: something stands in the way. `unknown`: it could not be told, and why. */
  readonly status: "ok" | "warning" | "problem" | "unknown";
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** What an error says about a check. */
export function checkOf(
  name: string,
  error: unknown,
  status: Check["status"] = "problem",
): Check {
  const details = error instanceof MlcliError ? error : undefined;
  const quote = details?.quote ? `\n${details.quote.trimEnd()}` : "";
  return { name, status, message: `${messageOf(error)}${quote}`, hint: details?.hint };
}
