/**
 * Errors as the user reads them.
 *
 * @module
 */

import { isSystemError, messageOf, MlcliError } from "../../runtime/errors.ts";
import { explained, fileErrorHint } from "../../runtime/system_errors.ts";
import { printable } from "../../runtime/text.ts";

/**
 * An error as text that ends in a newline: `error: ` and the message; what somebody else said about
 * it, indented; `hint: ` and what to do.
 *
 * @param directory where the user types paths: what the system refuses is said with them.
 */
export function errorText(thrown: unknown, directory?: string): string {
  const isRefusal = directory !== undefined && isSystemError(thrown);
  const error = isRefusal ? explained(thrown, directory) : thrown;
  const { quote, hint, cause } = error instanceof MlcliError ? error : {};
  const remedy = hint ?? fileErrorHint(cause);
  return [
    `error: ${printable(messageOf(error))}\n`,
    quote ? `${printable(quote).trimEnd().replace(/^/gm, "  ")}\n` : "",
    remedy ? hintText(remedy) : "",
  ].join("");
}

/** What to do about something, as a line. */
export function hintText(hint: string): string {
  return `hint: ${printable(hint)}\n`;
}
