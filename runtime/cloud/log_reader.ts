import { isRefusal, orNothing } from "../aws/errors.ts";
import { repeatedPage } from "../aws/explanations.ts";
import type { LogEvent, LogPage, LogQuestion, Logs, LogStream } from "../aws/logs.ts";
import { Circle } from "../aws/pages.ts";
import type { HostLog } from "../contract/first_failure.ts";
import {
  hostOf,
  isDataLog,
  linePrefix,
  LOG_GROUPS,
  logLines,
  streamPrefix,
} from "../contract/log_lines.ts";
import { withHostColours } from "../host_colours.ts";
import type { Output } from "../streams.ts";
import type { CloudJob } from "./jobs/job.ts";

export interface LogSource {
  readonly group: string;
  /** Prefix of the names of its log streams; without it, all streams of the group. */
  readonly streamPrefix?: string;
  /** Leaves out earlier lines. */
  readonly since?: Date | undefined;
  readonly isWanted?: (stream: LogStream) => boolean;
  /**
   * Returns the prefix of each line of a stream: empty, or the container's name.
   *
   * @param streams number of streams.
   */
  readonly prefixOf: (stream: string, streams: number) => string;
}

/** After so many pages in a row without an event, a round ends; the next one goes on there. */
const EMPTY_PAGES = 100;
/** The most events in a page, and (about) in memory of all streams together. */
const PAGE_SIZE = 10_000;
const MOST_EVENTS = 50_000;
/** A stream that was not written to for so long (ms) is not polled. */
const LONG_SILENT = 24 * 3_600_000;
/** About how many characters are yielded at once. */
const PIECE = 32_768;

/** How far the log of one container is read. */
interface Stream {
  readonly name: string;
  /** When (ms) it wrote last, according to the service, which may lag behind. */
  listed: number | undefined;
  /** Leaves out what was written before (ms). */
  since: number | undefined;
  /** Whether it has been read to its end once. */
  isRead: boolean;
  token: string | undefined;
  /** Notices that tokens repeat; replaced when a token has expired. */
  circle: Circle;
  /** The time (ms) of the last event that was read, and how many of that time were read. */
  last: number;
  ofLast: number;
  /** How many of those come again after a token has expired. */
  repeated: number;
  /** Read, and not yielded yet; newest first. */
  readonly events: LogEvent[];
}

/** Prints lines of a log. If the output has colour, the names of hosts have colours. */
export async function printLog(lines: readonly string[], output: Output): Promise<void> {
  const text = `${lines.join("\n")}\n`;
  await output.write(new TextEncoder().encode(output.colour ? withHostColours(text) : text));
}

/**
 * Reads a log that several containers write, each into its own stream: in the order of time, from the last
 * read line on.
 *
 * GetLogEvents repeats the token of the request at the end of a stream; a page without events does not mean
 * the end. (API reference of CloudWatch Logs, GetLogEvents: `nextForwardToken`, `nextBackwardToken`.)
 */
export class LogReader {
  readonly #streams = new Map<string, Stream>();

  constructor(private readonly logs: Logs, private readonly source: LogSource) {}

  /**
   * What was written since the last call, as whole lines in pieces: the streams in the order of time.
   * Where a request fails, the next call goes on where this one ended.
   */
  async *news(): AsyncGenerator<readonly string[]> {
    const streams = this.#activeStreams(await this.#find());
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
    // Lines that were read before a failure are not lost.
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
        // Too old: none of its lines is among the last ones.
        [stream.since, stream.isRead] = [listed + 1, true];
        continue;
      }
      for (const event of await this.#readBack(stream, count)) found.push({ event, stream });
      found.sort((one, other) => one.event.time - other.event.time);
      found.splice(0, found.length - count);
    }
    const lines = found.flatMap(({ event, stream }) => this.#linesOf(event, stream));
    return lines.slice(Math.max(0, lines.length - count));
  }

  /**
   * The last lines of each host by itself; where one was started again, of its newest stream: they are
   * sorted by their names, which end with a time.
   */
  async tails(count: number): Promise<readonly HostLog[]> {
    const tails = new Map<string, HostLog>();
    for (const stream of await this.#find()) {
      const events = await this.#readBack(stream, count);
      const lines = events.flatMap(({ message }) => logLines(message)).slice(-count);
      const host = hostOf(stream.name);
      tails.set(host, { host, lines, last: events.at(-1)?.time ?? 0 });
    }
    return [...tails.values()];
  }

  /** All streams, new ones included. */
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

  /** An endpoint has a stream for each instance that it ever had: those that ended are read once. */
  #activeStreams(streams: readonly Stream[]): readonly Stream[] {
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
          // Tokens expire after 24 hours (API reference, GetLogEvents): reading goes on by time.
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
      // Newest first: they are taken from the end.
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
 * Events without those that were read before a token expired (they come first among those of their
 * time). Updates how far the stream is read.
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
      prefixOf: (stream) => linePrefix(stream, instanceCount),
    });
  }
}

/** What a transform says of its data, on all hosts. */
export function dataLog(logs: Logs, { kind, name }: Pick<CloudJob, "kind" | "name">): LogReader {
  return new LogReader(logs, {
    group: LOG_GROUPS[kind],
    streamPrefix: streamPrefix(name),
    isWanted: ({ name }) => isDataLog(name),
    prefixOf: () => "",
  });
}
