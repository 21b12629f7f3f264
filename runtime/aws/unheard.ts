/**
 * Whether a request may have been heard, for those that are not to be done twice: to a model each one
 * does something; of a creation, the second attempt finds what the first has made, or somebody else.
 *
 * @module
 */

import { ConnectionError, type ConnectionFailure } from "./connection_error.ts";

/** A client of the SDK, as far as its requests can be watched. */
interface Client {
  readonly middlewareStack: {
    add(
      middleware: (next: Next) => Next,
      where: { readonly step: "finalizeRequest"; readonly priority: "low"; readonly name: string },
    ): void;
  };
}

// deno-lint-ignore no-explicit-any -- as the SDK has it; nothing is looked at here
type Next = (args: any) => Promise<any>;

/** An error after which a request is not repeated, in a form in which the SDK finds no reason to. */
class Heard extends Error {
  override readonly name = "Heard";

  constructor(readonly error: unknown) {
    super("The request may have been heard");
  }
}

/**
 * Lets the SDK repeat only what nobody can have heard.
 *
 * By itself it repeats what was throttled (also HTTP 429), what a server failed at (HTTP 500, 502,
 * 503 and 504), and what ended with ECONNRESET, ETIMEDOUT, EPIPE and the codes of no connection at
 * all (`@smithy/core`, `service-error-classification`): with a lost answer, a model would work twice,
 * and be paid for twice, and nobody would see it.
 */
export function repeatOnlyTheUnheard(client: Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isUnheard(error) ? error : new Heard(error);
      }
    },
    // Behind the one that repeats.
    { step: "finalizeRequest", priority: "low", name: "repeatOnlyTheUnheard" },
  );
}

/** Of calls of which an earlier attempt may have been heard. */
const AFTER_HEARD = new WeakSet<object>();

/** Notices what an attempt ends with, where an earlier one of the same call may have been heard. */
export function noticeTheHeard(client: Client): void {
  client.middlewareStack.add(
    (next) => {
      let wasHeard = false;
      return async (args) => {
        try {
          return await next(args);
        } catch (error) {
          if (wasHeard) AFTER_HEARD.add(error as Error);
          wasHeard ||= !isUnheard(error);
          throw error;
        }
      };
    },
    { step: "finalizeRequest", priority: "low", name: "noticeTheHeard" },
  );
}

/** Whether what a call found done may be what its own earlier attempt did. */
export function mayBeOwn(error: unknown): boolean {
  return AFTER_HEARD.has(error as Error);
}

/** What was thrown for a request of such a client. */
export function thrown(error: unknown): unknown {
  return error instanceof Heard ? error.error : error;
}

/** What comes before a request is sent. */
const BEFORE: readonly ConnectionFailure[] = ["no such host", "refused", "no route"];

/** Whether a request did not get further than to who stands before what would have done it. */
export function isUnheard(error: unknown): boolean {
  if (error instanceof ConnectionError) return BEFORE.includes(error.failure);
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  // 424 is the model's own refusal, which is not repeated anyway.
  return status >= 400 && status < 500;
}
