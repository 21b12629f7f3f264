/** `mlcli describe`, `logs`, `wait` and `stop-job`: the commands about one job or endpoint. */

import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { parseSince, parseTail } from "../options/parsers.ts";
import { jobOrEndpoint, outputFormat, progressOptions } from "../options/shared.ts";

const DESCRIBE = options({ ...jobOrEndpoint, ...outputFormat });

export type DescribeOptions = Values<typeof DESCRIBE>;

export const describeCommand: Command = command({
  usesApps: true,
  details: "mlcli shows the names of environment variables, but not their values",
  options: DESCRIBE,
  examples: [
    ["Show the status of a job", "mlcli describe flats-2026-03-01"],
    [
      "Print only the S3 URI of its model",
      "mlcli describe flats-2026-03-01 --output json | jq -r .artifact",
    ],
    ["Show the model and the instances of an endpoint", "mlcli describe shop --kind endpoint"],
  ],
  action: async () => (await import("./by_name_actions.ts")).describeAction,
});

const LOGS = options({
  ...jobOrEndpoint,
  "-f, --follow": { description: "Follow the log until the job ends or the endpoint is deleted" },
  "--tail LINES": {
    description: "Number of last lines to show, or all for the whole log",
    default: "all",
    parse: parseTail,
  },
  "--since TIME": {
    description: "Show only lines since TIME: 10m, 2h, 2026-03-01T09:30Z, 2026-03-01 (local time)",
    parse: parseSince,
  },
  ...progressOptions,
});

export type LogsOptions = Values<typeof LOGS>;

export const logsCommand: Command = command({
  usesApps: true,
  details: "mlcli prints the log to standard output. If there are several instances, each line " +
    "begins with the name of the instance. For an endpoint, this name is VARIANT/INSTANCE. After " +
    "Ctrl-C, the job keeps running.",
  options: LOGS,
  examples: [
    [
      "Show the last 20 lines and follow the log",
      "mlcli logs flats-2026-03-01 --tail 20 --follow",
    ],
    ["Show what an endpoint wrote in the last hour", "mlcli logs shop --since 1h"],
  ],
  action: async () => (await import("./by_name_actions.ts")).logsAction,
});

const WAIT = options({ ...jobOrEndpoint, ...outputFormat, ...progressOptions });

export type WaitOptions = Values<typeof WAIT>;

export const waitCommand: Command = command({
  usesApps: true,
  details:
    "The result is the S3 URI of the job's output, or the endpoint's name. The exit code is 1 if " +
    "the job failed or was stopped, or if the endpoint failed or its update was rolled back. " +
    "After Ctrl-C, the job or the update continues.",
  options: WAIT,
  examples: [
    ["Wait for a training job", "mlcli wait flats-2026-03-01-09-30-00-123"],
    ["Wait until an endpoint is in service", "mlcli wait shop"],
  ],
  action: async () => (await import("./by_name_actions.ts")).waitAction,
});

const STOP_JOB = options({
  ...jobOrEndpoint,
  "--wait": { description: "Wait until the job has ended" },
  "-y, --yes": {
    description: "Don't ask before stopping a transform job (mlcli asks only on a terminal)",
  },
  ...outputFormat,
  ...progressOptions,
});

export type StopJobOptions = Values<typeof STOP_JOB>;

export const stopJobCommand: Command = command({
  usesApps: true,
  details: "The code receives SIGTERM. A training job then has 120 seconds to exit, and " +
    "SageMaker saves the files in /opt/ml/model. The outputs of a stopped transform job are lost.",
  options: STOP_JOB,
  examples: [["Stop a job and wait until it has ended", "mlcli stop-job flats-2026-03-01 --wait"]],
  action: async () => (await import("./by_name_actions.ts")).stopJobAction,
});
