/**
 * How long a request may take.
 *
 * @module
 */

import { tcpTarget } from "../http/exchange.ts";
import { joinSignals } from "../time.ts";
import { ConnectionError } from "./connection_error.ts";

/** How long something may take, in ms. */
export interface TimeLimits {
  /** Until there is a connection. */
  readonly connection: number;
  /**
   * Until the whole answer is there, the connection included. What is sent or fetched of data, in
   * pieces of known size, gets more.
   */
  readonly answer: number;
  /** How much longer to wait for an answer than somebody behind the service may take for it. */
  readonly patience?: number;
}

/** Ends a request that takes too long: `signal` aborts, its reason says what took too long. */
export class TimeLimit implements Disposable {
  readonly #over = new AbortController();
  readonly #answer: ReturnType<typeof setTimeout>;
  readonly #connection: ReturnType<typeof setTimeout>;

  /** @param isIndirect whether the connection may go to a proxy. */
  constructor(url: URL, { connection, answer }: TimeLimits, isIndirect: boolean) {
    const end = (message: string): void =>
      this.#over.abort(new ConnectionError("time limit", url.host, message));
    // fetch does not tell when it is connected. So when no answer has come in half of the time, a
    // second connection is tried in the other half.
    const half = connection / 2;
    const tryToConnect = async (): Promise<void> => {
      if (isIndirect || !await isSilent(url, half, this.#over.signal)) return;
      end(`No connection within ${connection / 1000} s`);
    };
    const seconds = Math.round(answer / 100) / 10;
    this.#answer = setTimeout(() => end(`No answer within ${seconds} s`), answer);
    this.#connection = setTimeout(tryToConnect, half);
  }

  /** There is a connection: an answer has begun. */
  connected(): void {
    clearTimeout(this.#connection);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Ends the request for another reason. */
  abort(reason: unknown): void {
    this.#over.abort(reason);
  }

  /** What took too long, if something has. */
  get reason(): ConnectionError | undefined {
    const { aborted, reason } = this.#over.signal;
    return aborted ? reason : undefined;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#answer);
    clearTimeout(this.#connection);
    // Stops an attempt to connect that is still running.
    this.#over.abort();
  }
}

/** Whether a connection is neither accepted nor refused in that time. */
async function isSilent(
  url: URL,
  milliseconds: number,
  over: AbortSignal,
): Promise<boolean> {
  const end = AbortSignal.timeout(milliseconds);
  using either = joinSignals(end, over);
  try {
    (await Deno.connect({ ...tcpTarget(url), signal: either.signal })).close();
    return false;
  } catch {
    return end.aborted && !over.aborted;
  }
}
