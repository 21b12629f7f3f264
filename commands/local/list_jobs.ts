import { METRICS_KEY, SAMPLE_METRIC } from "../../runtime/contract/metric_definitions.ts";
import { UsageError } from "../../runtime/errors.ts";
import { jsonText } from "../../runtime/text.ts";
import { appCommand } from "../command.ts";
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
  action: async (context, options) => {
    const { app, names, kind, limit, output } = options;
    const { out, err, messages, clock, interruption } = context;
    if (names.length > 0 && kind !== undefined) {
      throw new UsageError('Option "--kind" cannot be used with the name of a run', {
        hint: "Remove --kind, or remove the name to list all runs of that kind",
      });
    }
    const { comparisonText, printRun, runColumns } = await import("./run_formats.ts");
    if (names.length === 1) return await printRun(context, { app, run: names[0]!, output });
    const { measureEarlierRuns } = await import("../../runtime/local/metrics/earlier.ts");
    const { jsonComparison, jsonRun } = await import("../../runtime/local/runs/json.ts");
    const { compareRuns, listRuns } = await import("../../runtime/local/runs/list.ts");
    await measureEarlierRuns(app, context);
    if (names.length > 1) {
      const found = await compareRuns(app, names, interruption.signal);
      return out.print(
        output === "json" ? jsonText(jsonComparison(found)) : comparisonText(found, out),
      );
    }
    const { printList } = await import("../render/list.ts");
    const all = await listRuns(app);
    const chosen = all.filter((run) => kind === undefined || run.kind === kind);
    const runs = chosen.slice(0, limit);
    await printList(
      {
        pages: [runs],
        columns: runColumns(runs, all, out, clock.date()),
        json: jsonRun,
        empty: `No ${kind === undefined ? "runs" : `runs of kind ${kind}`} yet. ` +
          `Start one: mlcli local ${kind ?? "train"}`,
      },
      output,
      context,
    );
    if (output === "json" || !err.isTerminal) return;
    if (chosen.length > limit) {
      messages.note(`Showing ${limit} of ${chosen.length} runs (more with --limit)`);
    }
    if (
      app.configuration.metricDefinitions.every(({ regex }) => regex === SAMPLE_METRIC.Regex) &&
      runs.every(({ metrics }) => Object.keys(metrics).length === 0) &&
      runs.some(({ kind }) => kind === "train")
    ) {
      const key = `${METRICS_KEY} in ${app.name}.json`;
      messages.note(`No metrics. To extract them from the output, set ${key}.`);
    }
  },
});
