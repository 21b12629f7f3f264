import { isRefusal, orNothing } from "../aws/errors.ts";
import { repeatedPage } from "../aws/explanations.ts";
import type { LogEvent, LogPage, LogQuestion, Logs, LogStream } from "../aws/logs.ts";
import { Circle } from "../aws/pages.ts";
import { hostOf, LOG_GROUPS, logLines, streamPrefix } from "../contract/log_lines.ts";
import type { CloudJob } from "./jobs/job.ts";

export interface LogSource {
  readonly group: string;
  /** What the names of its streams begin with; all of the group without it. */
  readonly streamPrefix?: string;
  /** Leaves out what was written before. */
  readonly since?: Date | undefined;
  readonly isWanted?: (stream: LogStream) => boolean;
  /**
   * What begins each line of a stream: nothing, or whose it is.
   * @param streams how many there are.
   */
  readonly prefixOf: (stream: string, streams: number) => string;
}

/** After so many pages in a row without an event, a round ends; the next one goes on there. */
const EMPTY_PAGES = 100;
/** The most events that a page has, and that are held of all streams together, about. */
const PAGE_SIZE = 10_000;
const MOST_EVENTS = 50_000;
/** A stream into which nobody has written for so long (ms) is not asked again and again. */
const LONG_SILENT = 24 * 3_600_000;
/** Characters that are handed on at once, about. */
const PIECE = 32_768;

/** How far the log of one container is read. */
interface Stream {
  readonly name: string;
  /** When (ms) it wrote last, as the service knows: what it wrote just now it may not know yet. */
  listed: number | undefined;
  /** Leaves out what was written before (ms). */
  since: number | undefined;
  /** Whether it has been read to its end once. */
  isRead: boolean;
  token: string | undefined;
  /** Notices that tokens repeat; a new one where a token had expired. */
  circle: Circle;
  /** When (ms) the last event was written that was read, and how many were read of that time. */
  last: number;
  ofLast: number;
  /** How many of those come once more, since a token had expired. */
  repeated: number;
  /** Read, and not handed on yet: where a request in between failed. */
  readonly events: LogEvent[];
}

/**
 * Reads a log that several containers write, each into a stream of its own: in the order of time, and
 * from where it was read last.
 *
 * GetLogEvents says that there is nothing more by repeating the token that it was asked with; a page
 * without events says nothing. (API reference of CloudWatch Logs, GetLogEvents: `nextForwardToken`,
 * `nextBackwardToken`.)
 */
export class LogReader {
  readonly #streams = new Map<string, Stream>();

  constructor(private readonly logs: Logs, private readonly source: LogSource) {}

  /**
   * What was written since the last call, as whole lines in pieces: the streams in the order of time.
   * Where a request fails, the next call goes on where this one ended.
   */
  async *news(): AsyncGenerator<readonly string[]> {
    const streams = this.#worthAsking(await this.#find());
    const open = new Set(streams);
    const limit = Math.max(100, Math.min(PAGE_SIZE, Math.floor(MOST_EVENTS / open.size)));
    let lines: string[] = [];
    let length = 0;
    let failure: { readonly error: unknown } | undefined;
    while (true) {
      try {
        for (const stream of open) {
          if (stream.events.length > 0 || await this.#read(stream, limit)) continue;
          stream.isRead = true;
          open.delete(stream);
        }
      } catch (error) {
        failure = { error };
        break;
      }
      const next = earliest(streams);
      if (!next) break;
      for (const line of this.#linesOf(next.events.pop()!, next)) {
        lines.push(line);
        length += line.length;
      }
      if (length < PIECE) continue;
      yield lines;
      [lines, length] = [[], 0];
    }
    // What was read before a failure is handed on.
    if (lines.length > 0) yield lines;
    if (failure) throw failure.error;
  }

  /** The last lines, read backwards; `news` goes on after them. */
  async tail(count: number): Promise<readonly string[]> {
    const found: { readonly event: LogEvent; readonly stream: Stream }[] = [];
    const streams = [...await this.#find()].sort((one, other) =>
      (other.listed ?? Infinity) - (one.listed ?? Infinity) || 0
    );
    const newest = Math.max(...streams.map(({ listed = 0 }) => listed));
    for (const stream of streams) {
      const first = count === 0 ? newest : found.at(-count)?.event.time ?? 0;
      const { listed } = stream;
      if (listed !== undefined && first - listed > LONG_SILENT) {
        // None of its lines would be among the last.
        [stream.since, stream.isRead] = [listed + 1, true];
        continue;
      }
      for (const event of await this.#readBack(stream, count)) found.push({ event, stream });
      found.sort((one, other) => one.event.time - other.event.time);
    }
    const lines = found.slice(-count || Infinity).flatMap(({ event, stream }) =>
      this.#linesOf(event, stream)
    );
    return lines.slice(Math.max(0, lines.length - count));
  }

  /** All streams: those that began since the last time are among them. */
  async #find(): Promise<readonly Stream[]> {
    const { group, streamPrefix, isWanted = () => true } = this.source;
    for (const listed of await this.logs.streams(group, streamPrefix)) {
      const { name, lastTime } = listed;
      const known = this.#streams.get(name);
      if (known) {
        if (known.listed !== lastTime) [known.listed, known.isRead] = [lastTime, false];
      } else if (isWanted(listed)) {
        this.#streams.set(name, {
          name,
          listed: lastTime,
          since: this.source.since?.getTime(),
          isRead: false,
          token: undefined,
          circle: new Circle(),
          last: 0,
          ofLast: 0,
          repeated: 0,
          events: [],
        });
      }
    }
    return [...this.#streams.values()];
  }

  /** An endpoint has a stream of each instance that it ever had: those that ended are read once. */
  #worthAsking(streams: readonly Stream[]): readonly Stream[] {
    const newest = Math.max(...streams.map(({ listed = 0 }) => listed));
    const since = this.source.since?.getTime() ?? 0;
    return streams.filter(({ listed = newest, isRead, events }) =>
      events.length > 0 ||
      (listed >= since - LONG_SILENT && (!isRead || newest - listed <= LONG_SILENT))
    );
  }

  #linesOf({ message }: LogEvent, { name }: Stream): string[] {
    const prefix = this.source.prefixOf(name, this.#streams.size);
    return logLines(message).map((line) => prefix + line);
  }

  /** Reads on in a stream. Returns false where nothing more has come. */
  async #read(stream: Stream, limit: number): Promise<boolean> {
    for (let empty = 0; empty < EMPTY_PAGES; empty++) {
      const { token } = stream;
      const page = await this.#page(stream, { token, forward: true, limit })
        .catch((error) => {
          // Tokens expire after 24 hours (API reference, GetLogEvents): it is read on by time.
          if (!isRefusal(error, "other") || token === undefined) throw error;
          [stream.repeated, stream.circle] = [stream.ofLast, new Circle()];
          const since = Math.max(stream.last, stream.since ?? 0);
          return this.#page(stream, { forward: true, limit, since });
        });
      if (page === undefined || page.after === token) return false;
      stream.token = page.after;
      if (page.after && stream.circle.isClosedBy(page.after)) throw repeatedPage("log events");
      const events = unread(page.events, stream);
      if (events.length === 0) continue;
      // They are taken from its end.
      stream.events.push(...events.toReversed());
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
        unread(page.events, stream);
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
  #page({ name, since }: Stream, question: LogQuestion): Promise<LogPage | undefined> {
    return orNothing(this.logs.events(this.source.group, name, { since, ...question }));
  }
}

function earliest(streams: readonly Stream[]): Stream | undefined {
  let first: Stream | undefined;
  for (const stream of streams) {
    const time = stream.events.at(-1)?.time;
    if (time !== undefined && !(time >= (first?.events.at(-1)?.time ?? Infinity))) first = stream;
  }
  return first;
}

/**
 * Events without those that were read before a token was too old (of the same time, they come
 * first). How far the stream is read is remembered.
 */
function unread(events: readonly LogEvent[], stream: Stream): readonly LogEvent[] {
  let count = 0;
  while (count < stream.repeated && events[count]?.time === stream.last) count++;
  stream.repeated = count < events.length ? 0 : stream.repeated - count;
  const rest = events.slice(count);
  const last = rest.at(-1)?.time ?? stream.last;
  const before = last === stream.last ? stream.ofLast : 0;
  stream.ofLast = before + rest.filter(({ time }) => time === last).length;
  stream.last = last;
  return rest;
}

export interface LogOf extends Pick<CloudJob, "kind" | "name" | "instanceCount"> {
  /** Leaves out what was written before. */
  readonly since?: Date;
}

export class JobLog extends LogReader {
  constructor(logs: Logs, { kind, name, instanceCount, since }: LogOf) {
    super(logs, {
      group: LOG_GROUPS[kind],
      streamPrefix: streamPrefix(name),
      since,
      prefixOf: (stream) => instanceCount > 1 ? `${hostOf(stream)}: ` : "",
    });
  }
}
