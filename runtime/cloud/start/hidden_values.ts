/**
 * Keeps the values of variables out of what the service says of a job: it quotes what it refuses.
 *
 * @module
 */

import { AwsError } from "../../aws/errors.ts";
import type { Variables } from "../../contract/variables.ts";

/** Shorter values are words of messages, too. */
const SHORTEST = 6;

/** The same error without the values, which may be secrets. */
export function withoutValues(error: unknown, variables: Variables): unknown {
  if (!(error instanceof AwsError)) return error;
  // A longer one may hold a shorter one.
  const values = Object.values(variables).filter(({ length }) => length >= SHORTEST)
    .sort((one, other) => other.length - one.length);
  const hidden = (text: string): string =>
    values.reduce((left, value) => left.replaceAll(value, "***"), text);
  const message = hidden(error.message);
  const quote = error.quote && hidden(error.quote);
  if (message === error.message && quote === error.quote) return error;
  // Without its cause: a trace would show its words.
  return new AwsError(error.refusal, message, { hint: error.hint, quote });
}
