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

/** Wraps an error so that the SDK does not send the request again. */
class NotRetried extends Error {
  override readonly name = "NotRetried";

  constructor(readonly error: unknown) {
    super("The request might have been carried out");
  }
}

/**
 * Lets the SDK repeat a request to a model only where it cannot have been carried out.
 *
 * By itself it repeats what was throttled (also HTTP 429), what a server failed at (HTTP 500, 502,
 * 503 and 504), and what ended with ECONNRESET, ETIMEDOUT, EPIPE and the codes of no connection at
 * all (`@smithy/core`, `service-error-classification`): with a lost answer, a model would work twice,
 * and be paid for twice, unnoticed.
 */
export function neverCarryOutTwice(client: Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw mayBeCarriedOut(error) ? new NotRetried(error) : error;
      }
    },
    // Inside the SDK's own retries.
    { step: "finalizeRequest", priority: "low", name: "neverCarryOutTwice" },
  );
}

export function originalError(error: unknown): unknown {
  return error instanceof NotRetried ? error.error : error;
}

/** Errors of calls with an earlier attempt that may have been carried out. */
const AFTER_LOST_ANSWER = new WeakSet<object>();

/** Remembers errors of attempts after one that may have been carried out. */
export function rememberLostAnswers(client: Client): void {
  client.middlewareStack.add(
    (next) => {
      let isAnswerLost = false;
      return async (args) => {
        try {
          return await next(args);
        } catch (error) {
          if (isAnswerLost) AFTER_LOST_ANSWER.add(error as Error);
          isAnswerLost ||= mayBeCarriedOut(error);
          throw error;
        }
      };
    },
    { step: "finalizeRequest", priority: "low", name: "rememberLostAnswers" },
  );
}

/** Whether an earlier attempt of the same call may have done what this error says is done. */
export function isAfterLostAnswer(error: unknown): boolean {
  return AFTER_LOST_ANSWER.has(error as Error);
}

/** Failures before a request was sent. */
const BEFORE: readonly ConnectionFailure[] = ["no such host", "refused", "no route"];

/** Whether a failed request may have been carried out: it was not refused. */
export function mayBeCarriedOut(error: unknown): boolean {
  if (error instanceof ConnectionError) return !BEFORE.includes(error.failure);
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  // 424 is the model's own refusal, which is not repeated anyway.
  return status < 400 || status >= 500;
}
