/**
 * Connections to the engine that cannot be made, or break, in words.
 *
 * @module
 */

import { fileErrorReason, messageOf } from "../errors.ts";
import { EngineGone } from "./broken_engine.ts";

/** The error for a connection that cannot be made, or breaks: the engine has answered before. */
export function wentAway(call: string, cause: unknown): EngineGone {
  return new EngineGone(call, lossInWords(cause), cause);
}

/** How Deno words a connection that breaks, depending on what it was about (crates hyper, reqwest). */
const BROKEN =
  /^client error|^error (?:sending|reading|decoding)|^request or response body|connection closed|end of file|EOF/i;

/** Whether a connection failed (EPIPE, ECONNRESET, ...), and not what is sent on it. */
export function isLoss(cause: unknown): boolean {
  const reason = reasonOf(cause);
  return BROKEN.test(reason) ||
    /\(os error (?:32|54|57|61|104|107|111)\)|\bE(?:PIPE|CONN[A-Z]+)\b/.test(reason);
}

/** The system's reason, without its number; Deno's own words say nothing to anybody. */
function lossInWords(cause: unknown): string {
  const reason = fileErrorReason(reasonOf(cause));
  return BROKEN.test(reason) ? "the connection broke" : reason;
}

/** Deno's words for a failed connection; before 2.9 in the message, later in the cause. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? messageOf(error.cause)
    : messageOf(error);
}
