import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { parseLimit } from "../options/parsers.ts";
import { cloudOptions, jobKind, outputFormat } from "../options/shared.ts";

const OPTIONS = options({
  ...cloudOptions,
  ...jobKind,
  "--status STATUS": {
    choices: ["InProgress", "Completed", "Failed", "Stopping", "Stopped"],
    description: "List only jobs with this status: InProgress, Completed, Failed, ...",
  },
  "--name-contains TEXT": { description: "List only jobs with this text in their names" },
  "--limit NUMBER": {
    description: "Maximum number of jobs to list",
    default: "20",
    parse: parseLimit,
  },
  ...outputFormat,
});

export type ListJobsOptions = Values<typeof OPTIONS>;

export default command({
  usesApps: true,
  options: OPTIONS,
  examples: [
    ["List the last jobs of an app", "mlcli list-jobs --name-contains flats"],
    [
      "List failed training jobs as JSON",
      "mlcli list-jobs --kind train --status Failed --output json",
    ],
  ],
  action: async (context, options) =>
    await (await import("./list_jobs_action.ts")).listJobsAction(context, options),
});
