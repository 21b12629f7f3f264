/** `mlcli init --from`: converts a project of another tool, or a resource on SageMaker, into an app. */

import { appNames, hasConfiguration } from "../runtime/app/app.ts";
import type { Context } from "../runtime/context.ts";
import { type Resource, resourceIn } from "../runtime/contract/console.ts";
import { makeScaffold, planScaffold } from "../runtime/image/scaffold.ts";
import { migrationFile, migrationText, type Origin } from "../runtime/origin/origin.ts";
import { inOneLine } from "../runtime/text.ts";
import { configurationSchema } from "./configuration_schema.ts";
import { FROM_EXCLUDES, type InitOptions } from "./options/init.ts";
import { printPlan, summary } from "./init_plan.ts";
import { propertyName } from "./options/option.ts";
import { usageError } from "./usage.ts";

/**
 * Creates the app, and prints what mlcli could not convert.
 *
 * @param from value of `--from`.
 * @param path of the command, for errors.
 */
export async function initFrom(
  context: Context,
  options: InitOptions,
  from: string,
  path: string,
): Promise<void> {
  const resource = resourceIn(from);
  // `from` is not an option if the user accepted an offer.
  const refused = [...FROM_EXCLUDES, ...resource ? [] : ["--data", "--iam-role-arn"]].find(
    (flag) => {
      const value = options[propertyName(flag) as keyof InitOptions];
      return value !== undefined && !(typeof value === "object" && value.from === "variable");
    },
  );
  if (refused !== undefined) {
    throw usageError(
      path,
      `Options "--from ${inOneLine(from)}" and "${refused}" cannot be used together`,
    );
  }
  const { cwd, out, messages } = context;
  const found = await originOf(context, options, resource ?? from);
  const { name, left } = found;
  const hasOthers = (await appNames(cwd)).some((one) => one !== name);
  const next = found.next.map((line) =>
    hasOthers ? line.replace(/^mlcli (local )?[\w-]+/, (it) => `${it} --app-name ${name}`) : line
  );
  const what = found.what.replace(/ \.$/, " in this directory");
  const origin = { ...found, what, next };
  const configuration = {
    ...origin.configuration,
    ...options.region && { cloud_region: options.region.value },
    ...options.profile && { cloud_profile: options.profile.value },
  };
  const isThere = await hasConfiguration(cwd, name);
  const migration = { path: migrationFile(name), content: migrationText(origin) };
  const files = [...origin.files, migration];
  const plan = await planScaffold(cwd, name, configuration, await configurationSchema(), files);
  if (options.dryRun) {
    printPlan(plan, context);
    for (const text of left) messages.note(inOneLine(text));
    return;
  }
  const result = await makeScaffold(plan, context.interruption.signal);
  for (const path of result.created) out.print(`${inOneLine(path)}\n`);
  messages.state(summary(result, ` from ${origin.what}`));
  if (result.created.length === 0) return;
  if (isThere) messages.note(`${name}.json already exists and was not changed`);
  for (const text of left) messages.note(inOneLine(text));
  if (left.length > 0) messages.note(`These notes are also in ${migrationFile(name)}`);
  messages.state(["Next:", ...next].join("\n  "));
}

async function originOf(
  context: Context,
  options: InitOptions,
  from: string | Resource,
): Promise<Origin> {
  if (typeof from !== "string") {
    const { cloudOrigin } = await import("../runtime/cloud/origin/origin.ts");
    return await cloudOrigin({ ...options, resource: from }, context);
  }
  const { directoryOrigin, projectAt } = await import("../runtime/origin/directory.ts");
  return await directoryOrigin(await projectAt(context.cwd, from, options.name));
}
