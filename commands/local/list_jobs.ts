import { appCommand, type AppValues } from "../command.ts";
import { options } from "../options/option.ts";
import { parseLimit } from "../options/parsers.ts";
import { appName, jobKind, outputFormat } from "../options/shared.ts";

const OPTIONS = options({
  "[names...]": { completion: "local-job" },
  ...appName,
  ...jobKind,
  "--limit NUMBER": {
    description: "Maximum number of runs to list",
    default: "20",
    parse: parseLimit,
  },
  ...outputFormat,
});

export type ListRunsValues = AppValues<typeof OPTIONS>;

export default appCommand({
  details: "To show the full record of a run, pass one name. To compare runs, pass several " +
    "names. For two runs, mlcli also compares the code. NAMES can be names of runs, " +
    "their numbers in the list (1 is the newest run), or last for the newest run. " +
    "mlcli saves the records of the last 100 runs in local_test/jobs/RUN/ (job.json, " +
    "metrics.csv). To extract metrics from the output, set metric_definitions in " +
    "NAME.json.",
  options: OPTIONS,
  examples: [
    ["List the last runs with their metrics", "mlcli local list-jobs"],
    ["Compare the last three runs", "mlcli local list-jobs 3 2 1"],
  ],
  action: async (context, options) =>
    await (await import("./list_jobs_action.ts")).listRunsAction(context, options),
});
