import type { ListedJob } from "../../runtime/cloud/jobs/list_jobs.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";
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
  action: async (context, options) => {
    const { listJobs } = await import("../../runtime/cloud/jobs/list_jobs.ts");
    const { regionWords } = await import("../../runtime/aws/settings.ts");
    const { printList } = await import("../render/list.ts");
    const { listColumns, listedJobJson } = await import("./descriptions.ts");
    const { region, pages } = await listJobs(options, context);
    await printList(
      {
        pages,
        columns: listColumns<ListedJob>(context.clock.date(), ({ kind }) => kind),
        json: listedJobJson,
        // The usual cause is a wrong region.
        empty: `No jobs in ${regionWords(region)}`,
      },
      options.output,
      context,
    );
  },
});
