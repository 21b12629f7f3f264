/**
 * What `mlcli init` does.
 *
 * @module
 */

import { appNames, hasConfiguration } from "../runtime/app/app.ts";
import type { Context } from "../runtime/context.ts";
import { type Scaffold, scaffold } from "../runtime/image/scaffold.ts";
import type { Call } from "./command.ts";
import { configurationSchema } from "./configuration_schema.ts";
import type { InitOptions } from "./init.ts";
import { chooseConfiguration, chooseName, unusedOptions } from "./init_answers.ts";

/** Makes or completes an app, and says what to do with it. */
export async function initAction(
  context: Context,
  options: InitOptions,
  call: Call,
): Promise<void> {
  const name = await chooseName(context, options, call);
  const isNew = !await hasConfiguration(context.cwd, name);
  const configuration = isNew ? await chooseConfiguration(context, name, options, call) : {};
  const result = await scaffold(context.cwd, name, configuration, await configurationSchema());
  for (const path of result.created) context.out.print(`${path}\n`);
  context.err.print(summary(result));
  const unused = isNew ? [] : unusedOptions(options, result.app.configuration);
  if (unused.length > 0) {
    context.err.print(`${name}.json is kept as it was, without ${unused.join(", ")}.\n`);
  }
  context.err.print(await nextCommands(context.cwd, result));
}

function summary({ app, created, kept }: Scaffold): string {
  if (created.length === 0) return `Nothing to do: ${app.name} is complete.\n`;
  const files = `${created.length} ${created.length === 1 ? "file" : "files"}`;
  return `Created ${files} of ${app.name}.\n` +
    (kept.length === 0 ? "" : `Kept what was there: ${kept.join(", ")}\n`);
}

async function nextCommands(directory: string, { app, created }: Scaffold): Promise<string> {
  const option = (await appNames(directory)).length > 1 ? ` --app-name ${app.name}` : "";
  // What the example is trained on: area, rooms and age of an apartment.
  const request = created.some((path) => path.endsWith("apartments.csv"))
    ? ["curl -H 'Content-Type: text/csv' -d 72,3,15 http://localhost:8080/invocations"]
    : [];
  return [
    "Next:",
    `mlcli build${option}`,
    `mlcli local train${option}`,
    `mlcli local deploy${option}`,
    ...request,
    `mlcli local stop${option}`,
  ].join("\n  ") + "\n";
}
