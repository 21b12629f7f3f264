/**
 * `mlcli init`
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import type { Scaffold } from "../runtime/image/scaffold.ts";
import type { AnyCommand } from "./command.ts";
import type { InitOptions } from "./init_answers.ts";

/** Makes a new app, or completes one. */
export function initCommand(context: Context): AnyCommand {
  return new Command()
    .description(
      "Make a new app in this directory: a working example, its Dockerfile and its test data. " +
        "Files that are there are kept. On a terminal, asks for what no option gives.",
    )
    .arguments("[app:string]")
    .option("--python-version <version:string>", "Python of the image, such as 3.12.")
    .option("--requirements <path:string>", "Requirements file, relative to this directory.")
    .option("--base-image <image:string>", "Image to build upon, instead of the official Python.")
    .option("--image-name <name:string>", "Name of the image, instead of the app's.")
    .option("--platform <platform:string>", "Platform of the image, such as linux/amd64.")
    .option("--region <region:string>", "Region of the cloud commands.")
    .option("--profile <profile:string>", "AWS profile of the cloud commands.")
    .example("Make the app demo", "mlcli init demo")
    .example("Choose another Python", "mlcli init demo --python-version 3.11")
    .action(async (options: InitOptions, argument?: string) => {
      const { chooseName, chooseSettings, givenOptions } = await import("./init_answers.ts");
      const { scaffold } = await import("../runtime/image/scaffold.ts");
      const { hasConfiguration } = await import("../runtime/app/app.ts");
      const name = await chooseName(context, argument);
      const isNew = !await hasConfiguration(context.cwd, name);
      const settings = isNew ? await chooseSettings(context, name, options) : {};
      const result = await scaffold(context.cwd, name, settings);
      for (const path of result.created) context.out.print(`${path}\n`);
      context.err.print(summary(result));
      const unused = isNew ? [] : givenOptions(options);
      if (unused.length > 0) {
        context.err.print(`${name}.json is kept as it was, without ${unused.join(", ")}.\n`);
      }
      context.err.print(await nextCommands(context.cwd, result));
    });
}

function summary({ app, created, kept }: Scaffold): string {
  if (created.length === 0) return `Nothing to do: ${app.name} is complete.\n`;
  const files = `${created.length} ${created.length === 1 ? "file" : "files"}`;
  return `Created ${files} of ${app.name}.\n` +
    (kept.length === 0 ? "" : `Kept what was there: ${kept.join(", ")}\n`);
}

async function nextCommands(directory: string, { app, created }: Scaffold): Promise<string> {
  const { appNames } = await import("../runtime/app/app.ts");
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
