/**
 * The log of a job: of all its hosts in the order of time, as far as it has come, and from where it
 * was read last.
 *
 * GetLogEvents says that there is nothing more by repeating the token that it was asked with; a page
 * without events says nothing. (API reference of CloudWatch Logs, GetLogEvents: `nextForwardToken`,
 * `nextBackwardToken`.)
 *
 * @module
 */

import { isRefusal } from "../../aws/errors.ts";
import type { LogEvent, LogPage, LogQuestion, Logs } from "../../aws/logs.ts";
import { hostOf, LOG_GROUPS, logLines, streamPrefix } from "../../contract/log_lines.ts";
import type { CloudJob } from "./job.ts";

/** Whose log, and from when. */
export interface LogOf extends Pick<CloudJob, "kind" | "name" | "instanceCount"> {
  /** Leaves out what was written before. */
  readonly since?: Date;
}

/** Pages without an event, one after the other, after which a round is over: the next goes on. */
const EMPTY_PAGES = 100;
/** The most events that a page has. */
const PAGE_SIZE = 10_000;
/** Characters that are handed on at once, about. */
const PIECE = 32_768;

/** How far the log of one container is read. */
interface Stream {
  readonly name: string;
  /** What begins each of its lines. */
  readonly prefix: string;
  token: string | undefined;
  /** When (ms) the last event was written that was read. */
  last: number;
  /** Read, and not handed on yet: where a request in between failed. */
  readonly events: LogEvent[];
}

/** A job's log, read piece by piece. */
export class JobLog {
  readonly #logs: Logs;
  readonly #of: LogOf;
  readonly #streams = new Map<string, Stream>();

  constructor(logs: Logs, of: LogOf) {
    this.#logs = logs;
    this.#of = of;
  }

  /**
   * What was written since the last call, as whole lines in pieces: the hosts in the order of time.
   * Where a request fails, the next call goes on where this one ended.
   */
  async *news(): AsyncGenerator<readonly string[]> {
    const streams = await this.#find();
    const open = new Set(streams);
    let lines: string[] = [];
    let length = 0;
    let failure: { readonly error: unknown } | undefined;
    while (true) {
      try {
        for (const stream of open) {
          if (stream.events.length === 0 && !await this.#read(stream)) open.delete(stream);
        }
      } catch (error) {
        failure = { error };
        break;
      }
      const next = earliest(streams);
      if (!next) break;
      for (const line of linesOf(next.events.pop()!, next.prefix)) {
        lines.push(line);
        length += line.length;
      }
      if (length < PIECE) continue;
      yield lines;
      [lines, length] = [[], 0];
    }
    // Of what was taken, nothing is lost.
    if (lines.length > 0) yield lines;
    if (failure) throw failure.error;
  }

  /** The last lines, read backwards; `news` goes on after them. */
  async tail(count: number): Promise<readonly string[]> {
    const found: { readonly event: LogEvent; readonly prefix: string }[] = [];
    for (const stream of await this.#find()) {
      const events = await this.#readBack(stream, count);
      for (const event of events) found.push({ event, prefix: stream.prefix });
    }
    found.sort((one, other) => one.event.time - other.event.time);
    const lines = found.flatMap(({ event, prefix }) => linesOf(event, prefix));
    return lines.slice(Math.max(0, lines.length - count));
  }

  /** All streams: hosts that began to write since the last time are among them. */
  async #find(): Promise<readonly Stream[]> {
    const { kind, name, instanceCount } = this.#of;
    for (const stream of await this.#logs.streams(LOG_GROUPS[kind], streamPrefix(name))) {
      if (this.#streams.has(stream)) continue;
      const prefix = instanceCount > 1 ? `${hostOf(stream)}: ` : "";
      this.#streams.set(stream, { name: stream, prefix, token: undefined, last: 0, events: [] });
    }
    return [...this.#streams.values()];
  }

  /** Reads on in a stream. Returns false where nothing more has come. */
  async #read(stream: Stream): Promise<boolean> {
    for (let empty = 0; empty < EMPTY_PAGES; empty++) {
      const { token } = stream;
      const page = await this.#page(stream, { token, forward: true, limit: PAGE_SIZE })
        .catch((error) => {
          // Tokens end after 24 hours (API reference, GetLogEvents): by the time, then.
          if (!isRefusal(error, "other") || token === undefined) throw error;
          const since = stream.last + 1;
          return this.#page(stream, { forward: true, limit: PAGE_SIZE, since });
        });
      if (page === undefined || page.after === token) return false;
      stream.token = page.after;
      if (page.events.length === 0) continue;
      // Handed on from its end.
      stream.events.push(...page.events.toReversed());
      stream.last = page.events.at(-1)!.time;
      return true;
    }
    return false;
  }

  /** The last events of a stream, oldest first. */
  async #readBack(stream: Stream, count: number): Promise<readonly LogEvent[]> {
    const pages: (readonly LogEvent[])[] = [];
    let [token, missing, empty] = [undefined as string | undefined, count, 0];
    do {
      const limit = Math.min(Math.max(missing, 1), PAGE_SIZE);
      const page = await this.#page(stream, { token, forward: false, limit });
      if (page === undefined) break;
      if (token === undefined) {
        stream.token = page.after;
        stream.last = page.events.at(-1)?.time ?? 0;
      }
      if (page.before === token) break;
      token = page.before;
      empty = page.events.length === 0 ? empty + 1 : 0;
      if (missing > 0) pages.unshift(page.events.slice(-missing));
      missing -= page.events.length;
    } while (missing > 0 && empty < EMPTY_PAGES);
    return pages.flat();
  }

  /** `undefined` where the stream is gone. */
  async #page({ name }: Stream, question: LogQuestion): Promise<LogPage | undefined> {
    const { kind, since } = this.#of;
    try {
      return await this.#logs.events(LOG_GROUPS[kind], name, {
        ...question,
        since: question.since ?? since?.getTime(),
      });
    } catch (error) {
      if (isRefusal(error, "not found")) return undefined;
      throw error;
    }
  }
}

/** The stream whose next event was written first. */
function earliest(streams: readonly Stream[]): Stream | undefined {
  let first: Stream | undefined;
  for (const stream of streams) {
    const time = stream.events.at(-1)?.time;
    if (time !== undefined && !(time >= (first?.events.at(-1)?.time ?? Infinity))) first = stream;
  }
  return first;
}

function linesOf({ message }: LogEvent, prefix: string): string[] {
  return logLines(message).map((line) => prefix + line);
}
