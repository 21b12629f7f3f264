import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { parseLimit } from "../options/parsers.ts";
import { appName, outputFormat } from "../options/shared.ts";

const OPTIONS = options({
  "[names...]": { completion: "local-job" },
  ...appName,
  "--limit": {
    value: "number",
    description: "How many to list at most.",
    default: "20",
    parse: parseLimit,
  },
  ...outputFormat,
});

export type ListRunsOptions = Values<typeof OPTIONS>;

export const listRunsCommand: Command = command({
  details: "With a name, it shows the whole record of that run; with two, the difference between " +
    "them, their code included. In place of a name, take last, or the number in the list (1 is " +
    "the newest). The records of the last 100 runs are in local_test/jobs/RUN/: job.json, and for " +
    "a training with metrics metrics.csv. metric_definitions in the configuration file says how to " +
    "find metrics in the output.",
  options: OPTIONS,
  examples: [
    ["List the last runs, with their metrics", "mlcli local list-jobs"],
    ["See all of the last run", "mlcli local list-jobs last"],
    ["See what differs between the last two", "mlcli local list-jobs 2 1"],
  ],
  action: async () => (await import("./list_jobs_action.ts")).listRunsAction,
});
