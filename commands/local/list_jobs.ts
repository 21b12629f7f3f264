import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { parseLimit } from "../options/parsers.ts";
import { appName, outputFormat } from "../options/shared.ts";

const OPTIONS = options({
  "[names...]": { completion: "local-job" },
  ...appName,
  "--limit": {
    value: "number",
    description: "So many at most.",
    default: "20",
    parse: parseLimit,
  },
  ...outputFormat,
});

export type ListRunsOptions = Values<typeof OPTIONS>;

export const listRunsCommand: Command = command({
  details: "Metrics are what metric_definitions in the app's file finds in the output. " +
    "Each run of local train and local process leaves a record in local_test/jobs/NAME/: " +
    "job.json, and of a training with metrics metrics.csv and a picture of them, metrics.svg. " +
    "The last 100 are kept. A name shows all of a run, two what differs between them, their code " +
    "included; the number of the list (1 is the newest) and last are names, too.",
  options: OPTIONS,
  examples: [
    ["List the last runs, with their metrics", "mlcli local list-jobs"],
    ["See all of the last run", "mlcli local list-jobs last"],
    ["See what differs between the last two", "mlcli local list-jobs 2 1"],
  ],
  action: async () => (await import("./list_jobs_action.ts")).listRunsAction,
});
