import { PING_SECONDS } from "../contract/limits.ts";
import { messageOf } from "../errors.ts";
import { exchange } from "../http/exchange.ts";
import { abortOf, deadlineIn, joinSignals, pause } from "../time.ts";
import type { Engine } from "../docker/engine.ts";
import { EngineError } from "../docker/errors.ts";
import { demultiplex } from "../docker/frames.ts";
import { SilentEngine } from "../docker/time_limits.ts";
import { diagnosis, kindOf, type PingAnswer, SILENT, StuckWatch } from "./diagnosis.ts";
import { socketsIn } from "./sockets.ts";

/** Between two attempts, in ms, while nobody answers. */
const SHORTEST_INTERVAL = 5;
const LONGEST_INTERVAL = 500;

/** Between two attempts, in ms, after the first answer other than 200; and the factor for each more. */
const SHORTEST_AFTER_ANSWER = 100;
const GROWTH_AFTER_ANSWER = 1.25;

/** How many answers of 200 in a row make a server ready, and the time between two, in ms. */
const READY_ANSWERS = 3;
const BETWEEN_READY = 3;

/**
 * One `GET /ping`, two seconds at most.
 *
 * @param signal breaks it off.
 */
export async function ping(port: number, signal?: AbortSignal): Promise<PingAnswer> {
  using deadline = deadlineIn(PING_SECONDS);
  using limit = joinSignals(deadline.signal, ...(signal ? [signal] : []));
  const request = { call: "GET /ping", headers: {}, body: [] };
  try {
    return await exchange(port, request, limit.signal, ({ status }) => Promise.resolve({ status }));
  } catch (error) {
    return { failure: deadline.signal.aborted ? SILENT : messageOf(error) };
  }
}

/** How far the attempts have got when the next one is due. */
export interface PingProgress {
  /** Since the first attempt, in ms. */
  readonly elapsed: number;
  /** How many answers were 200, one after another, up to now. */
  readonly ready: number;
  /** How many answers had another status; 0 if the last attempt brought no answer, or a 200. */
  readonly refused: number;
}

/**
 * Pings until the server answers 200 a few times in a row. Once is not enough: SageMaker goes on
 * pinging, and takes out a server that answers otherwise later.
 *
 * @param signal ends it; its reason is thrown.
 * @param onAnswer called with every answer but 200, and whether there was a 200 before.
 * @param wait how long until the next attempt, in ms.
 */
export async function pingUntilReady(
  port: number,
  signal: AbortSignal,
  onAnswer: (answer: PingAnswer, wasReady: boolean) => void,
  wait: (progress: PingProgress) => number = waitBetween,
): Promise<void> {
  const start = performance.now();
  let ready = 0;
  let wasReady = false;
  let others = 0;
  while (true) {
    signal.throwIfAborted();
    const answer = await ping(port, signal);
    ready = answer.status === 200 ? ready + 1 : 0;
    if (ready === READY_ANSWERS) return;
    if (answer.status === 200) wasReady = true;
    else onAnswer(answer, wasReady);
    const isRefusal = answer.status !== undefined && answer.status !== 200;
    if (isRefusal) others++;
    const refused = isRefusal ? others : 0;
    await pause(wait({ elapsed: performance.now() - start, ready, refused }), signal);
  }
}

/**
 * How long to wait between two attempts, in ms. While nobody listens, a fiftieth of the time that has
 * passed, within limits: a quick server loses little, a slow one costs little. Longer where somebody
 * answers: nginx logs an error for each attempt while its upstream is not ready.
 */
export function waitBetween({ elapsed, ready, refused }: PingProgress): number {
  if (ready > 0) return BETWEEN_READY;
  const least = refused === 0
    ? SHORTEST_INTERVAL
    : SHORTEST_AFTER_ANSWER * GROWTH_AFTER_ANSWER ** (refused - 1);
  return Math.min(LONGEST_INTERVAL, Math.max(least, elapsed / 50));
}

export type Readiness =
  | { readonly kind: "ready" }
  | { readonly kind: "ended"; readonly status: number }
  /** The time was over. */
  | {
    readonly kind: "late";
    /** The reason: a diagnosis, `HTTP 500`, or why there was no answer. */
    readonly words: string;
    /** What to do, if mlcli knows it. */
    readonly hint: string | undefined;
    /** Whether there was a 200 before. */
    readonly wasReady: boolean;
  };

/** How to wait for a server. */
export interface ReadyWait {
  readonly seconds: number;
  /** Ends the wait; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Called at most once, if the server seems unable to get ready. The wait goes on. */
  readonly onStuck: (words: string, hint: string) => void;
  /** The time, in ms. */
  readonly now?: () => number;
}

/**
 * Waits for the first of: ready, ended, timed out, interrupted.
 *
 * @param server that was started, and its port on this machine.
 * @throws the signal's reason.
 */
export async function untilReady(
  engine: Engine,
  { id, port }: { readonly id: string; readonly port: number },
  { seconds, signal, onStuck, now = () => performance.now() }: ReadyWait,
): Promise<Readiness> {
  const over = new AbortController();
  using deadline = deadlineIn(seconds);
  using either = joinSignals(over.signal, signal, deadline.signal);
  const asking = either.signal;
  const find = async (answer: PingAnswer, signal: AbortSignal) => {
    if (answer.status !== undefined) return diagnosis(answer, []);
    const sockets = await socketsIn(engine, id, signal);
    // The server might have opened its port since the answer.
    const isStill = kindOf(await ping(port, signal)) === kindOf(answer);
    return isStill ? diagnosis(answer, sockets) : undefined;
  };
  const stuck = new StuckWatch((answer) => find(answer, asking), onStuck);
  let silence = "the Docker Engine does not respond";
  let last: PingAnswer | undefined;
  let wasReady = false;
  try {
    const end = await engine.wait(id, "not-running", asking);
    silence = "no response";
    const ended = end.status.then((status): Readiness => ({ kind: "ended", status }));
    const ready = pingUntilReady(port, asking, (answer, wasReadyBefore) => {
      [last, wasReady] = [answer, wasReadyBefore];
      stuck.see(answer, now()).catch((error) => over.abort(error));
    }).then((): Readiness => ({ kind: "ready" }));
    ready.catch(() => {}); // a ping that is under way when the others are over
    return await Promise.race([ready, ended, abortOf(asking)]);
  } catch (error) {
    if (!deadline.signal.aborted || error !== deadline.signal.reason) throw error;
    const lastAnswer = last === undefined ? silence : last.failure ?? `HTTP ${last.status}`;
    const { words = lastAnswer, hint } = last && await find(last, signal) || {};
    return { kind: "late", words, hint, wasReady };
  } finally {
    stuck.isDone = true;
    over.abort();
  }
}

/** In lines: a traceback can be longer than the lines that are shown. */
const LOG_TAIL = 200;
const SHOWN_LINES = 30;

/** How long the engine may take for it, in seconds: it only explains a failure. */
const LOG_SECONDS = 5;

/** In characters, since a line may be of any length. */
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
    // The log only explains a failure, which an unreadable log must not hide: another process might
    // have removed the container, or the log driver cannot be read (501, on Podman 500).
    if (!(error instanceof EngineError) && !(error instanceof SilentEngine)) throw error;
  }
  return text || undefined;
}

/** Returns the lines of a log's tail that an error shows, with the line end of the last one. */
export function shownTail(log: string): string {
  return log.split("\n").slice(-SHOWN_LINES - 1).join("\n");
}
