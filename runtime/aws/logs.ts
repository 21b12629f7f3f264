import {
  CloudWatchLogsClient,
  DescribeLogStreamsCommand,
  GetLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { orNothing } from "./errors.ts";
import { pagesOf } from "./pages.ts";
import type { AwsSession } from "./session.ts";

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
  /** When it wrote last; the service may learn of it an hour later. */
  readonly lastTime: number | undefined;
}

export interface LogQuestion {
  /** Of the page before; by default the stream's first or last page. */
  readonly token?: string | undefined;
  /** Whether to read towards the end, or towards the beginning. */
  readonly forward: boolean;
  /** Leaves out what was written before: milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Events at most: 1 to 10,000. */
  readonly limit?: number;
}

/** A piece of a log stream, oldest event first. */
export interface LogPage {
  readonly events: readonly LogEvent[];
  /** The token for later events; the same as in the request where there are none yet. */
  readonly after: string | undefined;
  /** The token for earlier events; the same as in the request where there are none. */
  readonly before: string | undefined;
}

/** What mlcli asks CloudWatch Logs. Each throws an `AwsError`, or `Interrupted`. */
export interface Logs {
  /**
   * The streams of a group; none where there is no such group (yet).
   * @param prefix of their names.
   */
  streams(group: string, prefix?: string): Promise<readonly LogStream[]>;
  /** A page of a stream. An empty one is not the end: only a repeated token is. */
  events(group: string, stream: string, question: LogQuestion): Promise<LogPage>;
}

export async function openLogs(session: AwsSession): Promise<Logs> {
  const client = new CloudWatchLogsClient(await session.clientConfiguration("CLOUDWATCH_LOGS"));
  const { ask } = await session.service(client, "logs");
  return {
    async streams(group, prefix) {
      const pages = pagesOf("log streams", async (nextToken) => {
        const command = new DescribeLogStreamsCommand({
          logGroupName: group,
          logStreamNamePrefix: prefix,
          nextToken,
        });
        // The first line of the first job of its kind creates the group.
        const answer = await orNothing(ask(command, `log group ${group}`));
        const items = (answer?.logStreams ?? []).flatMap((one) => {
          const { logStreamName: name, creationTime, lastEventTimestamp: lastTime } = one;
          return name ? [{ name, creationTime, lastTime }] : [];
        });
        return { items, token: answer?.nextToken };
      });
      return (await Array.fromAsync(pages)).flat();
    },
    async events(group, stream, { token, forward, since, limit }) {
      const command = new GetLogEventsCommand({
        logGroupName: group,
        logStreamName: stream,
        nextToken: token,
        startFromHead: forward,
        startTime: since,
        limit,
      });
      const answer = await ask(command, `log stream ${stream}`);
      const events = (answer.events ?? []).map(({ timestamp = 0, message = "" }) => ({
        time: timestamp,
        message,
      }));
      return { events, after: answer.nextForwardToken, before: answer.nextBackwardToken };
    },
  };
}
