/**
 * Asking a server on this machine whether it is ready.
 *
 * @module
 */

import { messageOf } from "../errors.ts";

/** The platform gives an attempt two seconds, in ms. */
const ATTEMPT_TIMEOUT = 2_000;

/** Between two attempts, in ms. */
const SHORTEST_INTERVAL = 5;
const LONGEST_INTERVAL = 500;

/** An answer to `GET /ping`, or why there was none. */
export type PingAnswer =
  | { readonly status: number; readonly failure?: undefined }
  | { readonly status?: undefined; readonly failure: string };

/**
 * One `GET /ping`. Spoken over a plain connection, since `fetch` would take a proxy that the
 * environment names, and would be slower at being refused.
 */
export async function ping(port: number): Promise<PingAnswer> {
  let connection: Deno.TcpConn | undefined;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection?.close();
  }, ATTEMPT_TIMEOUT);
  try {
    connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const request = "GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    await connection.write(new TextEncoder().encode(request));
    const buffer = new Uint8Array(1024);
    const length = await connection.read(buffer);
    const start = new TextDecoder().decode(buffer.subarray(0, length ?? 0));
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(start)?.[1];
    return status ? { status: Number(status) } : { failure: "no answer in HTTP" };
  } catch (error) {
    return { failure: isLate ? "it listens, but is not ready" : messageOf(error) };
  } finally {
    clearTimeout(timer);
    try {
      connection?.close();
    } catch {
      // The timer closed it.
    }
  }
}

/**
 * Asks until the answer is 200.
 *
 * @param signal ends the asking; its reason is thrown.
 * @param onAnswer hears every other answer.
 * @param interval how long to wait (ms) when so much time (ms) has passed.
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
    const answer = await ping(port);
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
export function growingInterval(elapsed: number): number {
  return Math.min(LONGEST_INTERVAL, Math.max(SHORTEST_INTERVAL, elapsed / 50));
}
