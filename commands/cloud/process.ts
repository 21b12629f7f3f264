import { type Command, command } from "../command.ts";
import { PROCESS_OPTIONS } from "../options/cloud_job.ts";
import type { Values } from "../options/option.ts";

export type ProcessOptions = Values<typeof PROCESS_OPTIONS>;

export type ProcessDeclaration = typeof PROCESS_OPTIONS;

export const processCommand: Command = command({
  details:
    "This costs money, and the job goes on if this command is interrupted. Everything that can " +
    "be checked is checked first. mlcli local process runs the same script on this machine.",
  options: PROCESS_OPTIONS,
  examples: [
    [
      "Run processing/clean.py on data in S3",
      "mlcli process -f clean.py -i s3://my-bucket/churn/raw -e ml.m5.large",
    ],
    ["Pass it arguments", "mlcli process -f clean.py -- --rows 1000"],
  ],
  action: async () => (await import("./process_action.ts")).processAction,
});
