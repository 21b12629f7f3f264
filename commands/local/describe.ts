import { appCommand } from "../command.ts";
import { options } from "../options/option.ts";
import { appName, outputFormat } from "../options/shared.ts";

export default appCommand({
  details: "RUN is the name of a run, its number in mlcli local list-jobs, or last for the " +
    "newest run",
  options: options({ "<run>": { completion: "local-job" }, ...appName, ...outputFormat }),
  examples: [["Show the last run", "mlcli local describe last"]],
  action: async (context, options) => {
    const { printRun } = await import("./run_formats.ts");
    await printRun(context, options);
  },
});
