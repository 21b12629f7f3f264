/** The app that a command is for, and the keys of its configuration file that mlcli does not know. */

import { type App, findApp, findApps } from "../runtime/app/app.ts";
import { type SectionName, SECTIONS } from "../runtime/app/configuration.ts";
import type { Finding } from "../runtime/app/image.ts";
import { sectionOf, unknownTopLevelKeys } from "../runtime/app/sections.ts";
import type { Context } from "../runtime/context.ts";
import { tell, warningText } from "../runtime/messages.ts";
import { enumerated } from "../runtime/text.ts";
import type { Options } from "./options/option.ts";
import { optionsByKey, unknownKeysIn } from "./options/settings.ts";

/**
 * Finds the app, and warns of unknown keys in its file.
 *
 * @param appName as given with `--app-name`.
 * @throws MlcliError as `findApp` does.
 */
export async function chosenApp(context: Context, appName: string | undefined): Promise<App> {
  const app = await findApp(context.cwd, appName);
  await warnOf(app, context);
  return app;
}

/**
 * Warns of the same for a command that can do without an app, and takes its region from one. An app
 * that cannot be read is the command's to report.
 */
export async function warnOfKeys(
  context: Context,
  { appName }: { readonly appName: string | undefined },
): Promise<void> {
  const apps = appName === undefined
    ? findApps(context.cwd)
    : findApp(context.cwd, appName).then((app) => [app]);
  for (const app of await apps.catch(() => [])) await warnOf(app, context);
}

async function warnOf(app: App, { err }: Context): Promise<void> {
  for (const { message, hint } of await unknownKeys(app)) {
    tell(err, warningText(message, hint));
  }
}

/** The options of a command: its object in the file may hold those that have a key. */
export async function sectionOptions(name: SectionName): Promise<Options> {
  switch (name) {
    case "train":
      return (await import("./options/cloud_job.ts")).TRAIN_OPTIONS;
    case "process":
      return (await import("./options/cloud_job.ts")).PROCESS_OPTIONS;
    case "deploy":
      return (await import("./options/cloud_deploy.ts")).DEPLOY_OPTIONS;
    case "transform":
      return (await import("./options/cloud_job.ts")).TRANSFORM_OPTIONS;
    case "local":
      return (await import("./options/container.ts")).containerOptions;
  }
}

/** The keys of an app's file that have no effect, or are almost one of mlcli's. */
export async function unknownKeys(app: App): Promise<readonly Finding[]> {
  const { sections, otherKeys } = app.configuration;
  const names = SECTIONS.filter((name) => sections[name] !== undefined);
  const inside = await Promise.all(
    names.map(async (name) => unknownKeysIn(sectionOf(app, name), await sectionOptions(name))),
  );
  // A key of a single word may be another tool's.
  const misplaced = otherKeys.filter((key) => /^[a-z\d]+(_[a-z\d]+)+$/.test(key));
  const outside = await Promise.all(misplaced.map((key) => misplacedKey(app, key)));
  return [...unknownTopLevelKeys(app), ...outside.flat(), ...inside.flat()];
}

/** An option's key that stands at the top level instead of in its command's object. */
async function misplacedKey({ name }: App, key: string): Promise<readonly Finding[]> {
  const places: string[] = [];
  for (const section of SECTIONS) {
    if (optionsByKey(await sectionOptions(section)).has(key)) places.push(`"${section}"`);
  }
  if (places.length === 0) return [];
  return [{
    message: `${name}.json: "${key}" has no effect at the top level`,
    hint: `It belongs into ${enumerated(places).replace(" and ", " or ")}: ` +
      `${places[0]}: {"${key}": ...}.`,
  }];
}
