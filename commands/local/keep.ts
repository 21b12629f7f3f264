import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { appName } from "../options/shared.ts";

const OPTIONS = options({
  "<run>": { completion: "model-run" },
  ...appName,
  "--no-keep": { description: "Release the model, so that it is removed when it is old." },
});

export type KeepOptions = Values<typeof OPTIONS>;

export const keepCommand: Command = command({
  details:
    "RUN is its name, its number in mlcli local list-jobs, or last: the newest run that has " +
    "a model and did not fail. A model that is kept counts neither for keep_models nor for " +
    "keep_models_size (mlcli config --help), and the record of its run stays.",
  options: OPTIONS,
  examples: [
    ["Keep the model of the last run", "mlcli local keep last"],
    ["Release a model", "mlcli local keep --no-keep flats-2026-03-01-09-30-00-123"],
  ],
  action: async () => (await import("./keep_action.ts")).keepAction,
});
