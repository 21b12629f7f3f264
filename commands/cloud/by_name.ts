/** `mlcli describe`, `logs`, `wait` and `stop-job`: the commands about one job or endpoint. */

import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { parseSince, parseTail } from "../options/parsers.ts";
import { jobOrEndpoint, outputFormat, progressOptions } from "../options/shared.ts";

const DESCRIBE = options({ ...jobOrEndpoint, ...outputFormat });

export type DescribeOptions = Values<typeof DESCRIBE>;

export const describeCommand: Command = command({
  details: "It shows environment variables by name only.",
  options: DESCRIBE,
  examples: [
    ["See the status of a job", "mlcli describe flats-2026-03-01"],
    [
      "Get its artifact, for another program",
      "mlcli describe flats-2026-03-01 --output json | jq -r .artifact",
    ],
    ["See what an endpoint serves, and on which instances", "mlcli describe flats --kind endpoint"],
  ],
  action: async () => (await import("./by_name_actions.ts")).describeAction,
});

const LOGS = options({
  ...jobOrEndpoint,
  "--follow": {
    short: "-f",
    description: "Follow the log until the job ends or the endpoint is deleted.",
  },
  "--tail": {
    value: "lines",
    description: "How many of the last lines to show, or all.",
    default: "all",
    parse: parseTail,
  },
  "--since": {
    value: "time",
    description: "Show only what is newer: 10m, 2h, 2026-03-01T09:30Z, 2026-03-01 (local time).",
    parse: parseSince,
  },
  ...progressOptions,
});

export type LogsOptions = Values<typeof LOGS>;

export const logsCommand: Command = command({
  details:
    "The log goes to standard output. With several machines, each line begins with the name " +
    "of its machine: algo-1 for a job, VARIANT/INSTANCE for an endpoint. After Ctrl-C, the job " +
    "goes on.",
  options: LOGS,
  examples: [
    [
      "Show the last 20 lines, and follow the log",
      "mlcli logs flats-2026-03-01 --tail 20 --follow",
    ],
    ["Show what an endpoint wrote in the last hour", "mlcli logs flats --since 1h"],
  ],
  action: async () => (await import("./by_name_actions.ts")).logsAction,
});

const WAIT = options({ ...jobOrEndpoint, ...outputFormat, ...progressOptions });

export type WaitOptions = Values<typeof WAIT>;

export const waitCommand: Command = command({
  details:
    "Prints the address of what a job made, or the name of an endpoint. The exit status is 1 if " +
    "the job failed or was stopped, or the endpoint failed or its update was rolled back. After " +
    "Ctrl-C, the job or the update goes on.",
  options: WAIT,
  examples: [
    ["Wait for a training", "mlcli wait flats-2026-03-01-09-30-00-123"],
    ["Wait until an endpoint serves", "mlcli wait flats"],
  ],
  action: async () => (await import("./by_name_actions.ts")).waitAction,
});

const STOP_JOB = options({
  ...jobOrEndpoint,
  "--wait": { description: "Wait until the job has ended." },
  "--yes": {
    short: "-y",
    description:
      "Do not ask before the outputs of a transform are lost. In a pipe, mlcli never asks.",
  },
  ...outputFormat,
  ...progressOptions,
});

export type StopJobOptions = Values<typeof STOP_JOB>;

export const stopJobCommand: Command = command({
  details:
    "The code gets SIGTERM. A training then has 120 seconds to end, and what it has written " +
    "to /opt/ml/model is kept. Of a transform that is stopped, SageMaker keeps no outputs.",
  options: STOP_JOB,
  examples: [["Stop a job, and see how it ends", "mlcli stop-job flats-2026-03-01 --wait"]],
  action: async () => (await import("./by_name_actions.ts")).stopJobAction,
});
