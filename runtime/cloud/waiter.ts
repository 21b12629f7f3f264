import { type AwsError, isPassing } from "../aws/errors.ts";
import type { Context } from "../context.ts";

export type WaiterHost = Pick<Context, "interruption" | "clock" | "messages">;

/** The first pause, in ms: emulators are quick. */
const FIRST_PAUSE = 250;

/** The pause while something changes, in ms. */
export const PAUSE_WITH_NEWS = 2_000;

/**
 * The pause while nothing changes, in ms. (The SageMaker Python SDK asks every 10 s
 * for the log of a job, and every 30 s for its state; several instances take 5 to 10 minutes.)
 */
const LONGEST_PAUSE = 10_000;

export interface WaitedFor {
  /** What is waited for, in messages: `job`. */
  readonly what: string;
  /** Whether the user sees by other means that SageMaker does not respond. */
  readonly isSilent?: true;
  /** In seconds; default: no limit. */
  readonly timeout?: number;
}

/**
 * Asks SageMaker again and again until something is over: soon at first, then at longer intervals.
 * Where it does not answer for a while (the network is away, there are too many requests), the user is
 * told once, and the wait goes on.
 */
export class Waiter {
  /** Why the last question had no answer. */
  failure: AwsError | undefined;
  readonly #end: number;
  #pause = FIRST_PAUSE;
  /** The questions that get no answer now. */
  readonly #unanswered = new Set<string>();
  #isThrottled = false;

  constructor(private readonly host: WaiterHost, private readonly waitedFor: WaitedFor) {
    this.#end = host.clock.now() + (waitedFor.timeout ?? Infinity) * 1000;
  }

  /**
   * @param what is asked for: `log`.
   * @returns `undefined` where there is no answer at the moment.
   * @throws errors that are not temporary.
   */
  async ask<Answer>(
    what: string,
    question: () => Promise<Answer>,
  ): Promise<{ readonly answer: Answer } | undefined> {
    try {
      const answer = await question();
      this.failure = undefined;
      if (this.#unanswered.delete(what) && this.#unanswered.size === 0) {
        this.#note("AWS is responding again");
      }
      return { answer };
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.failure = error;
      this.#tell(what, error);
      return undefined;
    }
  }

  #note(text: string): void {
    if (!this.waitedFor.isSilent) this.host.messages.note(text);
  }

  #tell(what: string, { refusal, message, quote }: AwsError): void {
    const reason = quote ? ` (${quote})` : "";
    const line = `${message}${reason}. The ${this.waitedFor.what} is unaffected; mlcli retries.`;
    if (refusal === "throttled") {
      if (!this.#isThrottled) this.#note(line);
      this.#isThrottled = true;
      return;
    }
    if (this.#unanswered.size === 0) this.#note(line);
    this.#unanswered.add(what);
  }

  get isOver(): boolean {
    return this.host.clock.now() >= this.#end;
  }

  /**
   * Waits until it is time to ask again.
   * @param hasNews whether something has just changed: then the next pauses are short.
   */
  async pause(hasNews = false): Promise<void> {
    const { clock, interruption } = this.host;
    await clock.pause(Math.min(this.#pause, this.#end - clock.now()), interruption.signal);
    this.#pause = Math.min(2 * this.#pause, hasNews ? PAUSE_WITH_NEWS : LONGEST_PAUSE);
  }
}
