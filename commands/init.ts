import { typedPath } from "../runtime/app/typed_path.ts";
import type { Context } from "../runtime/context.ts";
import type { Scaffold } from "../runtime/image/scaffold.ts";
import { command } from "./command.ts";
import { INIT_OPTIONS } from "./options/init.ts";

export default command({
  details: "mlcli init does not overwrite files. On a terminal, mlcli asks for the app's name.",
  options: INIT_OPTIONS,
  examples: [
    ["Create the app flats", "mlcli init flats"],
    ["Create an app named after this directory", "mlcli init --yes"],
    [
      "Run a SageMaker training job locally",
      "mlcli init --from training-job/flats-9 --data 100MB && mlcli local train",
    ],
    ["Choose another Python version", "mlcli init flats --python-version 3.11"],
    [
      "Run your own script in an existing image",
      "mlcli init --image team/torch:2 --source-dir src --entry-point train.py",
    ],
  ],
  action: async (caller, options, { path }) => {
    const { offeredOrigin, planApp, printPlan, requireValid, summary, unusedOptions } =
      await import(
        "./init_plan.ts"
      );
    requireValid(options, path);
    const context: Context = options.yes
      ? { ...caller, ask: (_question, fallback) => Promise.resolve(fallback) }
      : caller;
    const from = options.from ?? await offeredOrigin(context, options);
    if (from !== undefined) {
      const { initFrom } = await import("./init_from.ts");
      return await initFrom(context, options, from, path);
    }
    const { appNames, hasConfiguration } = await import("../runtime/app/app.ts");
    const { makeScaffold } = await import("../runtime/image/scaffold.ts");
    const { cwd, out, messages, interruption } = context;
    const plan = await planApp(context, options, path);
    if (options.dryRun) return printPlan(plan, context);
    const { name } = plan.app;
    const isNew = !await hasConfiguration(cwd, name);
    const result = await makeScaffold(plan, interruption.signal);
    if (options.image !== undefined) {
      const { rememberTrust } = await import("../runtime/app/trusted_image.ts");
      const what = { directory: cwd, kind: "images", name: options.image } as const;
      await rememberTrust(what, context);
    }
    for (const path of result.created) out.print(`${path}\n`);
    messages.state(summary(result));
    const unused = isNew ? [] : unusedOptions(options, result.app.configuration);
    if (unused.length > 0) {
      messages.note(`${name}.json exists, so ${unused.join(", ")} had no effect. Edit that file.`);
    }
    messages.state(nextCommands(cwd, result, (await appNames(cwd)).length > 1));
  },
});

/** @param needsName whether commands need the app's name, because the directory has several apps. */
function nextCommands(
  directory: string,
  { app, created }: Scaffold,
  needsName: boolean,
): string {
  const option = needsName ? ` --app-name ${app.name}` : "";
  if (app.configuration.image !== undefined) {
    const data = typedPath({ directory }, app.paths.trainingData);
    return `Next: if your code needs data, put test data into\n  ${data}/\nThen train:\n` +
      `  mlcli local train${option}`;
  }
  // The features of the sample: area, rooms and age of an apartment.
  const request = created.some((path) => path.endsWith("apartments.csv"))
    ? ["echo 72,3,15 | mlcli local invoke"]
    : [];
  return [
    "Next:",
    `mlcli build${option}`,
    `mlcli local train${option}`,
    `mlcli local deploy${option}`,
    ...request,
    `mlcli local stop${option}`,
  ].join("\n  ");
}
