/**
 * Asking a server on this machine whether it is ready.
 *
 * @module
 */

import { PING_SECONDS } from "../../contract/limits.ts";
import { messageOf } from "../../errors.ts";
import { abortOf, deadlineIn } from "../../time.ts";

/** Between two attempts, in ms. */
const SHORTEST_INTERVAL = 5;
const LONGEST_INTERVAL = 500;

/** An answer to `GET /ping`, or why there was none. */
export type PingAnswer =
  | { readonly status: number; readonly failure?: undefined }
  | { readonly status?: undefined; readonly failure: string };

/**
 * One `GET /ping`, two seconds at most. Sent over a plain connection, since `fetch` would use a
 * proxy that the environment names, and would need longer to notice that a port refuses.
 *
 * @param signal breaks it off.
 */
export async function ping(port: number, signal?: AbortSignal): Promise<PingAnswer> {
  using deadline = deadlineIn(PING_SECONDS);
  const limit = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
  let connection: Deno.TcpConn | undefined;
  try {
    connection = await Deno.connect({ hostname: "127.0.0.1", port, signal: limit });
    const start = await Promise.race([firstBytes(connection), abortOf(limit)]);
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(start)?.[1];
    if (status) return { status: Number(status) };
    // The engine closes a connection like this while the container does not listen yet.
    return { failure: start === "" ? "it closes the connection" : "no answer in HTTP" };
  } catch (error) {
    return {
      failure: deadline.signal.aborted ? "it listens, but is not ready" : messageOf(error),
    };
  } finally {
    connection?.close();
  }
}

/** Of `HTTP/1.1 200`. */
const STATUS_LENGTH = 12;

/** Asks, and returns the beginning of the answer; it may come in pieces. */
async function firstBytes(connection: Deno.TcpConn): Promise<string> {
  const request = "GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  await connection.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(1024);
  let start = "";
  while (start.length < STATUS_LENGTH) {
    const length = await connection.read(buffer);
    if (length === null) break;
    start += new TextDecoder("latin1").decode(buffer.subarray(0, length));
  }
  return start;
}

/**
 * Asks until the answer is 200.
 *
 * @param signal ends the asking; its reason is thrown.
 * @param onAnswer called with every other answer.
 * @param interval how long to wait (ms) when `elapsed` (ms) has passed.
 */
export async function pingUntilReady(
  port: number,
  signal: AbortSignal,
  onAnswer: (answer: PingAnswer) => void,
  interval: (elapsed: number) => number = growingInterval,
): Promise<void> {
  const start = performance.now();
  while (true) {
    signal.throwIfAborted();
    const answer = await ping(port, signal);
    if (answer.status === 200) return;
    onAnswer(answer);
    const wait = interval(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/**
 * A fiftieth of the time that has passed, within limits: little is lost when the server is quick,
 * and little is spent when it is slow.
 */
function growingInterval(elapsed: number): number {
  return Math.min(LONGEST_INTERVAL, Math.max(SHORTEST_INTERVAL, elapsed / 50));
}
