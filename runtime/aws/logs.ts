/**
 * Amazon CloudWatch Logs: what jobs and endpoints write.
 *
 * @module
 */

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

/** A piece of a log stream. */
export interface LogPage {
  readonly events: readonly LogEvent[];
  /** What asks for what comes after it; the same as before where nothing has come yet. */
  readonly token: string | undefined;
}

/** What mlcli asks. Each throws an `AwsError`, or `Interrupted`. */
export interface Logs {
  /** Names of the streams that begin like this; none where the group is not there (yet). */
  streams(group: string, prefix: string): Promise<readonly string[]>;
  /**
   * A page of a stream, oldest first. An empty page is not the end: only a repeated token is.
   *
   * @param token of the page before; without one, from the start of the stream.
   */
  events(group: string, stream: string, token: string | undefined): Promise<LogPage>;
}

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when no region is named.
 */
export async function openLogs(session: AwsSession): Promise<Logs> {
  const client = new CloudWatchLogsClient(session.clientConfiguration());
  const region = await session.regionOf(client);
  const options = session.requestOptions;
  return {
    async streams(group, prefix) {
      const names: string[] = [];
      let token: string | undefined;
      do {
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
        );
        for (const { logStreamName } of answer.logStreams ?? []) {
          if (logStreamName) names.push(logStreamName);
        }
        token = answer.nextToken === token ? undefined : answer.nextToken;
      } while (token);
      return names;
    },
    async events(group, stream, token) {
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
              startFromHead: true,
            }),
            options,
          ),
      );
      const events = (answer.events ?? []).map(({ timestamp, message }) => ({
        time: timestamp ?? 0,
        message: message ?? "",
      }));
      return { events, token: answer.nextForwardToken ?? token };
    },
  };
}
