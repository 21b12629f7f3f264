/**
 * Amazon CloudWatch Logs: what jobs and endpoints write.
 *
 * @module
 */

import { isRefusal } from "./errors.ts";
import { pagesOf } from "./pages.ts";
import {
  CloudWatchLogsClient,
  DescribeLogStreamsCommand,
  GetLogEventsCommand,
} from "./sdk/logs.ts";
import type { AwsSession } from "./session.ts";

/** A line of a log. */
export interface LogEvent {
  /** Milliseconds since 1970, when it was written. */
  readonly time: number;
  readonly message: string;
}

/** What one container writes. */
export interface LogStream {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly creationTime: number | undefined;
  /** When it wrote last, as far as the service knows yet (an hour may pass until it does). */
  readonly lastTime: number | undefined;
}

/** Which piece of a log stream. */
export interface LogQuestion {
  /** Of the piece before; without one, the first or the last of the stream. */
  readonly token?: string | undefined;
  /** Whether to read on towards the end, or back to the beginning. */
  readonly forward: boolean;
  /** Leaves out what was written before: milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Events at most: 1 to 10,000. */
  readonly limit?: number;
}

/** A piece of a log stream, oldest event first. */
export interface LogPage {
  readonly events: readonly LogEvent[];
  /** What asks for what comes after it; the same as before where nothing has come yet. */
  readonly after: string | undefined;
  /** What asks for what was before it; the same as before where nothing was. */
  readonly before: string | undefined;
}

/** What mlcli asks. Each throws an `AwsError`, or `Interrupted`. */
export interface Logs {
  /**
   * The streams of a group; none where that is not there (yet).
   * @param prefix only those whose names begin like this.
   */
  streams(group: string, prefix?: string): Promise<readonly LogStream[]>;
  /** A piece of a stream. An empty one is not the end: only a repeated token is. */
  events(group: string, stream: string, question: LogQuestion): Promise<LogPage>;
}

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when no region is named.
 */
export async function openLogs(session: AwsSession): Promise<Logs> {
  const client = new CloudWatchLogsClient(await session.clientConfiguration("CLOUDWATCH_LOGS"));
  const region = await session.regionOf(client);
  const options = session.requestOptions;
  return {
    async streams(group, prefix) {
      const pages = pagesOf("log streams", async (token) => {
        const answer = await session.send(
          "logs:DescribeLogStreams",
          `log group ${group}`,
          region,
          () =>
            client.send(
              new DescribeLogStreamsCommand({
                logGroupName: group,
                logStreamNamePrefix: prefix,
                nextToken: token,
              }),
              options,
            ),
        ).catch((error) => {
          // The first job or endpoint of its kind makes the group, with its first line.
          if (isRefusal(error, "not found")) return { logStreams: [], nextToken: undefined };
          throw error;
        });
        const items = (answer.logStreams ?? []).flatMap((one) => {
          const { logStreamName: name, creationTime, lastEventTimestamp: lastTime } = one;
          return name ? [{ name, creationTime, lastTime }] : [];
        });
        return { items, token: answer.nextToken };
      });
      return (await Array.fromAsync(pages)).flat();
    },
    async events(group, stream, { token, forward, since, limit }) {
      const answer = await session.send(
        "logs:GetLogEvents",
        `log stream ${stream}`,
        region,
        () =>
          client.send(
            new GetLogEventsCommand({
              logGroupName: group,
              logStreamName: stream,
              nextToken: token,
              startFromHead: forward,
              startTime: since,
              limit,
            }),
            options,
          ),
      );
      const events = (answer.events ?? []).map(({ timestamp, message }) => ({
        time: timestamp ?? 0,
        message: message ?? "",
      }));
      return { events, after: answer.nextForwardToken, before: answer.nextBackwardToken };
    },
  };
}
