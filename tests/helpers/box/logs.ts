/** Amazon CloudWatch Logs: what jobs print. */

import { ACCOUNT, REGION } from "./account.ts";
import { jsonAnswer } from "./answers.ts";
import { byBytes } from "./s3_types.ts";
import { type BoxRequest, type Permission, Refused, type Service, Unexpected } from "./service.ts";
import { checkInput, type Structure } from "./validation.ts";

/** A line of a log. */
export interface LogEvent {
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly message: string;
}

/** What one container prints. */
export interface LogStream {
  readonly name: string;
  readonly created: number;
  readonly events: LogEvent[];
}

/** What the service counts for an event besides its text, and what an answer holds at most (bytes). */
const EVENT_OVERHEAD = 26;
const LARGEST_ANSWER = 1024 * 1024;

const GROUP = {
  logGroupName: { type: "string", min: 1, max: 512, pattern: "[\\.\\-_/#A-Za-z0-9]+" },
} as const;
const STREAM = { type: "string", min: 1, max: 512, pattern: "[^:*]*" } as const;
const TOKEN = { type: "string", min: 1 } as const;

const INPUTS: Readonly<Record<string, Structure>> = {
  DescribeLogStreams: {
    type: "structure",
    required: ["logGroupName"],
    members: {
      ...GROUP,
      logStreamNamePrefix: STREAM,
      orderBy: { type: "string", enum: ["LogStreamName", "LastEventTime"] },
      descending: { type: "boolean" },
      nextToken: TOKEN,
      limit: { type: "integer", min: 1, max: 50 },
    },
  },
  GetLogEvents: {
    type: "structure",
    required: ["logGroupName", "logStreamName"],
    members: {
      ...GROUP,
      logStreamName: STREAM,
      startTime: { type: "integer", min: 0 },
      endTime: { type: "integer", min: 0 },
      nextToken: TOKEN,
      limit: { type: "integer", min: 1, max: 10_000 },
      startFromHead: { type: "boolean" },
    },
  },
};

/** The logs of one box. */
export class LogStore implements Service {
  /** Events, and streams, in an answer at most; small, so that a test sees pages. */
  eventsInPage = Infinity;
  streamsInPage = Infinity;
  /** So many times a page comes that is empty though more follows, as the service may do. */
  emptyPages = 0;
  readonly #groups = new Map<string, Map<string, LogStream>>();

  /** Nothing was ever printed. */
  clear(): void {
    this.#groups.clear();
  }

  /** Makes a group, by the first job of its kind. */
  createGroup(group: string): void {
    if (!this.#groups.has(group)) this.#groups.set(group, new Map());
  }

  /** Makes a stream, and its group, which the first line of a container does. */
  createStream(group: string, name: string): LogStream {
    this.createGroup(group);
    const streams = this.#groups.get(group)!;
    const stream = streams.get(name) ?? { name, created: Date.now(), events: [] };
    streams.set(name, stream);
    return stream;
  }

  /** Adds lines to a stream: at the given times, or now. */
  put(group: string, stream: string, events: readonly (LogEvent | string)[]): void {
    this.createStream(group, stream).events.push(
      ...events.map((event) =>
        typeof event === "string" ? { timestamp: Date.now(), message: event } : event
      ),
    );
  }

  /** The streams of a group, by name. */
  streams(group: string, prefix = ""): LogStream[] {
    return [...this.#groups.get(group)?.values() ?? []]
      .filter(({ name }) => name.startsWith(prefix))
      .sort((one, other) => byBytes(one.name, other.name));
  }

  /** The texts of a stream; none where it is not there. */
  messages(group: string, stream: string): string[] {
    return this.#groups.get(group)?.get(stream)?.events.map(({ message }) => message) ?? [];
  }

  permission({ operation, input, region }: BoxRequest): Permission {
    const { logGroupName: group, logStreamName: stream = "" } = input;
    const resource = `arn:aws:logs:${region}:${ACCOUNT}:log-group:${group}:log-stream:${stream}`;
    return { action: `logs:${operation}`, resource };
  }

  handle({ operation, input, region }: BoxRequest): Response {
    const shape = INPUTS[operation];
    if (!shape) throw new Unexpected(`Not expected: logs:${operation}`);
    checkInput(shape, input, "InvalidParameterException");
    const streams = region === REGION ? this.#groups.get(input.logGroupName) : undefined;
    if (!streams) throw notThere("log group");
    if (operation === "DescribeLogStreams") return this.#describeStreams(input);
    const stream = streams.get(input.logStreamName);
    if (!stream) throw notThere("log stream");
    return this.#getEvents(stream, input);
  }

  #describeStreams(input: BoxRequest["input"]): Response {
    const { logGroupName, logStreamNamePrefix = "", orderBy, descending, nextToken, limit = 50 } =
      input;
    const isByTime = orderBy === "LastEventTime";
    if (isByTime && logStreamNamePrefix !== "") {
      throw new Refused(
        "InvalidParameterException",
        "Cannot order by LastEventTime with a logStreamNamePrefix.",
      );
    }
    const all = this.streams(logGroupName, logStreamNamePrefix);
    if (isByTime) all.sort((one, other) => lastTime(one) - lastTime(other));
    if (descending) all.reverse();
    const start = nextToken === undefined ? 0 : numberOf(nextToken, /^streams-(\d+)$/);
    const end = start + Math.min(limit, this.streamsInPage);
    return jsonAnswer({
      logStreams: all.slice(start, end).map((stream) => ({
        logStreamName: stream.name,
        creationTime: stream.created,
        arn: `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${logGroupName}:log-stream:` +
          stream.name,
        ...(stream.events.length === 0 ? {} : {
          firstEventTimestamp: stream.events[0]!.timestamp,
          lastEventTimestamp: lastTime(stream),
          lastIngestionTime: lastTime(stream),
        }),
        storedBytes: 0,
      })),
      ...(end < all.length ? { nextToken: `streams-${end}` } : {}),
    });
  }

  #getEvents({ events }: LogStream, input: BoxRequest["input"]): Response {
    const { startTime = 0, endTime = Infinity, nextToken, startFromHead = false } = input;
    const limit = Math.min(input.limit ?? 10_000, this.eventsInPage);
    const isBackward = nextToken?.startsWith("b/") ?? !startFromHead;
    if (!isBackward && !startFromHead) {
      throw new Refused(
        "InvalidParameterException",
        "The specified nextToken is one to read forward: startFromHead must be true",
      );
    }
    const wanted = ({ timestamp }: LogEvent): boolean =>
      timestamp >= startTime && timestamp < endTime;
    const place = nextToken === undefined
      ? (isBackward ? events.length : 0)
      : numberOf(nextToken, /^[fb]\/(\d+)(?:\.\d+)?\/s$/);
    const page: LogEvent[] = [];
    let [first, last] = [place, place];
    const isEmpty = this.emptyPages > 0 && this.emptyPages-- > 0;
    for (let bytes = 0; !isEmpty && page.length < limit;) {
      const event = isBackward ? events[first - 1] : events[last];
      if (!event) break;
      bytes += event.message.length + EVENT_OVERHEAD;
      if (bytes > LARGEST_ANSWER && page.length > 0) break;
      if (isBackward) first--;
      else last++;
      if (!wanted(event)) continue;
      if (isBackward) page.unshift(event);
      else page.push(event);
    }
    // An empty page that is not the end has another token than the one it was asked by.
    const mark = isEmpty ? `.${this.emptyPages + 1}` : "";
    const same = (letter: string): boolean =>
      page.length === 0 && !isEmpty && nextToken?.startsWith(`${letter}/`) === true;
    return jsonAnswer({
      events: page.map((event) => ({ ...event, ingestionTime: event.timestamp })),
      nextForwardToken: same("f") ? nextToken : `f/${last}${mark}/s`,
      nextBackwardToken: same("b") ? nextToken : `b/${first}/s`,
    });
  }
}

function lastTime({ events, created }: LogStream): number {
  return events.at(-1)?.timestamp ?? created;
}

function numberOf(token: string, shape: RegExp): number {
  const match = shape.exec(token);
  if (match) return Number(match[1]);
  throw new Refused("InvalidParameterException", "The specified nextToken is invalid.");
}

function notThere(what: string): Refused {
  return new Refused("ResourceNotFoundException", `The specified ${what} does not exist.`);
}
