import { appCommand, type AppValues } from "../command.ts";
import { options } from "../options/option.ts";
import { appName, outputFormat } from "../options/shared.ts";

const DESCRIBE = options({ "<run>": { completion: "local-job" }, ...appName, ...outputFormat });

export type DescribeRunValues = AppValues<typeof DESCRIBE>;

export default appCommand({
  details: "RUN is the name of a run, its number in mlcli local list-jobs, or last for the " +
    "newest run",
  options: DESCRIBE,
  examples: [["Show the last run", "mlcli local describe last"]],
  action: async (context, options) =>
    await (await import("./list_jobs_action.ts")).describeRunAction(context, options),
});
