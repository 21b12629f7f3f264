/**
 * `mlcli process`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { cloudJobOptions, instanceOptions } from "../options/cloud_job.ts";
import { parseAddress } from "../options/job_parsers.ts";
import { options, type Values } from "../options/option.ts";

const OPTIONS = options({
  "[-- args...]": {},
  "--file": {
    short: "-f",
    value: "file",
    description: "The script, relative to processing/, as the image has it.",
    key: true,
    needed: true,
    completion: "script",
  },
  "--input-s3-location": {
    short: "-i",
    value: "uri",
    description: "The data, which becomes /opt/ml/processing/input. Without it: none.",
    key: true,
    parse: parseAddress,
  },
  "--output-s3-location": {
    short: "-o",
    value: "uri",
    description: "Where /opt/ml/processing/output goes. Without it: {s3_prefix}/output/JOB.",
    key: true,
    parse: parseAddress,
  },
  ...instanceOptions("process"),
  "--input-sharded": {
    description: "Give each instance a part of the objects, instead of all of them.",
    key: true,
  },
  ...cloudJobOptions,
});

/** Options of `process`. */
export type ProcessOptions = Values<typeof OPTIONS>;

/** What `processAction` needs to read them once more. */
export type ProcessDeclaration = typeof OPTIONS;

/** Runs a processing script on SageMaker. */
export const processCommand: Command = command({
  details:
    "It costs money, and goes on when this command is interrupted. Whatever can be checked " +
    "is checked before. mlcli local process runs the same script on this machine.",
  options: OPTIONS,
  examples: [
    [
      "Run processing/clean.py on data in S3",
      "mlcli process -f clean.py -i s3://my-bucket/churn/raw -e ml.m5.large",
    ],
    ["Give it arguments", "mlcli process -f clean.py -- --rows 1000"],
  ],
  action: async () => (await import("./process_action.ts")).processAction,
});
