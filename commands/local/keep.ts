import { appCommand, type AppValues } from "../command.ts";
import { options } from "../options/option.ts";
import { appName } from "../options/shared.ts";

const OPTIONS = options({
  "<run>": { completion: "model-run" },
  ...appName,
  "--no-keep": { description: "Stop protecting the model from automatic removal" },
});

export type KeepValues = AppValues<typeof OPTIONS>;

export default appCommand({
  details: "RUN is the name of a run, its number in mlcli local list-jobs, or last (the " +
    "newest successful run with a model). A protected model does not count towards the " +
    "limits keep_models and keep_models_size (see mlcli config --help). mlcli also " +
    "keeps the record of the run.",
  options: OPTIONS,
  examples: [
    ["Keep the model of the last run", "mlcli local keep last"],
    ["Release a model", "mlcli local keep --no-keep flats-2026-03-01-09-30-00-123"],
  ],
  action: async (context, options) =>
    await (await import("./keep_action.ts")).keepAction(context, options),
});
