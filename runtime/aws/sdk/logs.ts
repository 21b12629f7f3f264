/**
 * The parts of the SDK's client of CloudWatch Logs that mlcli uses.
 *
 * @module
 */

export {
  CloudWatchLogsClient,
  DescribeLogStreamsCommand,
  GetLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
