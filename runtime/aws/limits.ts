import { joined } from "../streams.ts";
import { joinSignals } from "../time.ts";
import { ConnectionError } from "./connection_error.ts";
import { AwsError } from "./errors.ts";

/** How long something may take, in ms. */
export interface TimeLimits {
  readonly connection: number;
  /**
   * Until the whole answer is there, the connection included. Data of known size gets more.
   */
  readonly answer: number;
  /** How much longer to wait than the model behind the service may take. */
  readonly margin?: number;
}

/** Ends a request that takes too long: `signal` aborts, its reason says what took too long. */
export class TimeLimit implements Disposable {
  readonly #over = new AbortController();
  readonly #answer: ReturnType<typeof setTimeout>;
  readonly #connection: ReturnType<typeof setTimeout>;

  /** @param isIndirect whether the connection may go through a proxy. */
  constructor(url: URL, { connection, answer }: TimeLimits, isIndirect: boolean) {
    const end = (message: string): void =>
      this.#over.abort(new ConnectionError("time limit", url.host, message));
    // fetch does not say when it is connected. So after half of the time without an answer, a second
    // connection is tried in the other half.
    const half = connection / 2;
    const tryToConnect = async (): Promise<void> => {
      if (isIndirect || !await isSilent(url, half, this.#over.signal)) return;
      end(`No connection within ${connection / 1000} s`);
    };
    const seconds = Math.round(answer / 100) / 10;
    this.#answer = setTimeout(() => end(`No response within ${seconds} s`), answer);
    this.#connection = setTimeout(tryToConnect, half);
  }

  /** There is a connection: an answer has begun. */
  connected(): void {
    clearTimeout(this.#connection);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  abort(reason: unknown): void {
    this.#over.abort(reason);
  }

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
    // Nearly no command needs it.
    const { tcpTarget } = await import("../http/exchange.ts");
    (await Deno.connect({ ...tcpTarget(url), signal: either.signal })).close();
    return false;
  } catch {
    return end.aborted && !over.aborted;
  }
}

/**
 * The largest answer, in bytes: an endless one must not fill the memory. Files of S3 come in ranges of
 * 8 MiB, and a model's answer has at most 25 MB.
 */
export const LARGEST_ANSWER = 64 * 1024 ** 2;

/**
 * The largest message of a stream of events, in bytes: 16 MB and its headers, 128 KB (Smithy, "Amazon
 * Event Stream").
 */
const LARGEST_EVENT = 17 * 1024 ** 2;

/** Bytes of the length with which a message begins. */
const LENGTH_BYTES = 4;

/**
 * @throws AwsError where it is larger than `most` bytes.
 */
export async function wholeAnswer(
  body: AsyncIterable<Uint8Array> | null,
  most = LARGEST_ANSWER,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of body ?? []) {
    total += piece.length;
    if (total > most) throw tooLargeError(`more than ${most / 1024 ** 2} MiB`);
    pieces.push(piece);
  }
  return joined(pieces);
}

/**
 * Passes a stream of events on, with a limit on the stated length of messages, for which the SDK reserves
 * memory.
 * @throws AwsError where one is too large.
 */
export async function* withinLimits(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const length = new Uint8Array(LENGTH_BYTES);
  let read = 0;
  let left = 0;
  for await (const piece of body) {
    for (let at = 0; at < piece.length;) {
      if (left > 0) {
        const step = Math.min(left, piece.length - at);
        at += step;
        left -= step;
        continue;
      }
      length[read++] = piece[at++]!;
      if (read < LENGTH_BYTES) continue;
      const total = new DataView(length.buffer).getUint32(0);
      if (total > LARGEST_EVENT) throw tooLargeError(`an event of ${total} bytes`);
      // A message shorter than its length is damaged; the SDK finds that out.
      left = total - LENGTH_BYTES;
      read = 0;
    }
    yield piece;
  }
}

function tooLargeError(what: string): AwsError {
  return new AwsError("failed", `The response did not come from AWS: it contains ${what}`, {
    hint: "AWS never sends responses this large. Check AWS_ENDPOINT_URL and the proxy.",
  });
}
