/**
 * Waiting for a server in a container on this machine.
 *
 * @module
 */

import type { Engine } from "../docker/engine.ts";
import { isConflict, isNotFound } from "../docker/engine.ts";
import { demultiplex } from "../docker/frames.ts";
import { SilentEngine } from "../docker/patience.ts";
import { abortOf, deadlineIn, joinSignals } from "../time.ts";
import { pingUntilReady } from "./ping.ts";

/** What became of a server. */
export type Readiness =
  | { readonly kind: "ready" }
  | { readonly kind: "ended"; readonly status: number }
  /** The time was over. */
  | {
    readonly kind: "late";
    /** `HTTP 500`, or why there was none. */
    readonly lastAnswer: string;
    /** Whether there was a 200 before. */
    readonly wasReady: boolean;
  };

/**
 * Waits for the first of: ready, ended, timed out, interrupted.
 *
 * @param server that was started, and its port on this machine.
 * @throws the signal's reason.
 */
export async function untilReady(
  engine: Engine,
  { id, port }: { readonly id: string; readonly port: number },
  seconds: number,
  signal: AbortSignal,
): Promise<Readiness> {
  const over = new AbortController();
  using deadline = deadlineIn(seconds);
  using either = joinSignals(over.signal, signal, deadline.signal);
  const asking = either.signal;
  let lastAnswer = "the Docker Engine does not answer";
  let wasReady = false;
  try {
    const end = await engine.wait(id, "not-running", asking);
    lastAnswer = "no answer";
    const ended = end.status.then((status): Readiness => ({ kind: "ended", status }));
    const ready = pingUntilReady(port, asking, (answer, wasReadyBefore) => {
      wasReady = wasReadyBefore;
      lastAnswer = answer.status === undefined ? answer.failure : `HTTP ${answer.status}`;
    }).then((): Readiness => ({ kind: "ready" }));
    ready.catch(() => {}); // a ping that is under way when the others are over
    return await Promise.race([ready, ended, abortOf(asking)]);
  } catch (error) {
    if (!deadline.signal.aborted || error !== deadline.signal.reason) throw error;
    return { kind: "late", lastAnswer, wasReady };
  } finally {
    over.abort();
  }
}

/** How many lines of a dead server's log are shown. */
const LOG_TAIL = 30;

/** How long the engine may take to give it, in seconds: it only explains something. */
const LOG_SECONDS = 5;

/** How many characters of them: a line may be of any length. */
const LONGEST_TAIL = 16_384;

/** The end of a container's log, both streams; nothing when the engine does not give it. */
export async function logTail(engine: Engine, id: string): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    const log = await engine.logs(id, { tail: LOG_TAIL, follow: false, within: LOG_SECONDS });
    for await (const { bytes } of demultiplex(log)) {
      text = (text + decoder.decode(bytes, { stream: true })).slice(-LONGEST_TAIL);
    }
  } catch (error) {
    // Somebody removed the container, or the engine is silent.
    if (!isNotFound(error) && !isConflict(error) && !(error instanceof SilentEngine)) throw error;
  }
  return text || undefined;
}
