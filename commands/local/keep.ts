import { inOneLine } from "../../runtime/text.ts";
import { appCommand } from "../command.ts";
import { options } from "../options/option.ts";
import { appName } from "../options/shared.ts";

const OPTIONS = options({
  "<run>": { completion: "model-run" },
  ...appName,
  "--no-keep": { description: "Stop protecting the model from automatic removal" },
});

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
  action: async (context, options) => {
    const { requireInside } = await import("../../runtime/app/confinement.ts");
    const { pinModel } = await import("../../runtime/model/kept_models.ts");
    const { sharingModel } = await import("../../runtime/model/lock.ts");
    const { versionOf } = await import("../../runtime/model/version_of.ts");
    const { paths } = options.app;
    await requireInside(paths, [paths.base, paths.localTest, paths.jobs, paths.model]);
    const host = { ...context, signal: context.interruption.signal };
    // While it is shared, no command removes models.
    await sharingModel(paths, host, async () => {
      const { run } = await versionOf(paths, options.run);
      await pinModel(paths, run, options.keep);
      context.out.print(`${inOneLine(run)}\n`);
    });
  },
});
