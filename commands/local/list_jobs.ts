import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { parseLimit } from "../options/parsers.ts";
import { appName, jobKind, outputFormat } from "../options/shared.ts";

const OPTIONS = options({
  "[names...]": { completion: "local-job" },
  ...appName,
  ...jobKind,
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
  details:
    "With a name, it shows the whole record of that run; with several, what differs between " +
    "them, for two also in the code. A name can be whole or as the list shows it. The number in " +
    "the list (1 is the newest) and last also name a run. The records of the last 100 runs are in " +
    "local_test/jobs/RUN/: job.json, and for a training with metrics metrics.csv. " +
    "metric_definitions in the configuration file says how to find metrics in the output.",
  options: OPTIONS,
  examples: [
    ["List the last runs, with their metrics", "mlcli local list-jobs"],
    ["See all of the last run", "mlcli local list-jobs last"],
    ["See what differs between the last three", "mlcli local list-jobs 3 2 1"],
  ],
  action: async () => (await import("./list_jobs_action.ts")).listRunsAction,
});
