import { absolutePath } from "../../runtime/app/typed_path.ts";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { onlyServerPort, serverOf, tailOption } from "../options/shared.ts";

const OPTIONS = options({
  "[run]": { completion: "local-job" },
  ...serverOf,
  ...onlyServerPort,
  "-f, --follow": { description: "Follow the log until the server stops" },
  ...tailOption,
});

export default command({
  details: "Without RUN, mlcli shows the log of the server. RUN is the name of a run, its " +
    "number in mlcli local list-jobs, or last for the newest run.",
  options: OPTIONS,
  examples: [
    ["Show the last 20 lines and follow the log", "mlcli local logs --tail 20 --follow"],
    ["Show what the last run printed", "mlcli local logs last"],
  ],
  action: async (context, options) => {
    const { run, follow, tail } = options;
    if (run === undefined) {
      const { showLogs } = await import("../../runtime/local/server/logs.ts");
      return await showLogs(options, context);
    }
    if (follow) {
      throw new UsageError('Option "--follow" cannot be used with the name of a run', {
        hint: "Remove --follow. To follow a run, use the terminal where it was started.",
      });
    }
    const { readTextFile } = await import("../../runtime/files.ts");
    const { wholeRun } = await import("../../runtime/local/runs/list.ts");
    const { LARGEST_LOG } = await import("../../runtime/local/runs/log.ts");
    const { chosenApp } = await import("../chosen_app.ts");
    const app = await chosenApp(context, options);
    const { run: { name }, places: { log } } = await wholeRun(app, run);
    if (log === null) throw new MlcliError(`Run ${name} has no log`);
    const text = await readTextFile(absolutePath(app.cwd, log), LARGEST_LOG);
    const lines = text.split("\n").slice(0, -1);
    const encoder = new TextEncoder();
    for (const line of tail === "all" ? lines : lines.slice(Math.max(0, lines.length - tail))) {
      const stream = line.startsWith("err ") ? context.err : context.out;
      await stream.write(encoder.encode(`${line.replace(/^(out|err) /, "")}\n`));
    }
  },
});
