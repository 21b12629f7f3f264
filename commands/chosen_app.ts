/**
 * The app that a command is for, and the keys of its configuration file: those that are options of
 * commands, and those that were probably meant to be.
 */

import { type App, findApp, findApps } from "../runtime/app/app.ts";
import { type SectionName, SECTIONS } from "../runtime/app/configuration.ts";
import { type Doubt, sectionOf, topLevelDoubts } from "../runtime/app/sections.ts";
import type { Context } from "../runtime/context.ts";
import { tell, warningText } from "../runtime/messages.ts";
import { enumerated } from "../runtime/text.ts";
import type { Options } from "./options/option.ts";
import { doubtsIn, optionsByKey } from "./options/settings.ts";

/**
 * Finds the app, and warns of keys that were probably meant differently.
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
 * Warns of the same for a command that takes the region of an app, and can do without one: what is
 * wrong with the apps is for the command to say.
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
  for (const { message, hint } of await configurationDoubts(app)) {
    tell(err, warningText(message, hint));
  }
}

/** The options of which an object may hold those that have a key. */
export async function sectionOptions(name: SectionName): Promise<Options> {
  switch (name) {
    case "train":
      return (await import("./options/cloud_job.ts")).TRAIN_OPTIONS;
    case "process":
      return (await import("./options/cloud_job.ts")).PROCESS_OPTIONS;
    case "deploy":
      return (await import("./options/cloud_deploy.ts")).DEPLOY_OPTIONS;
    case "local":
      return (await import("./options/container.ts")).containerOptions;
  }
}

/** All keys of an app's file that were probably meant differently. */
export async function configurationDoubts(app: App): Promise<readonly Doubt[]> {
  const { sections, otherKeys } = app.configuration;
  const names = SECTIONS.filter((name) => sections[name] !== undefined);
  const inside = await Promise.all(
    names.map(async (name) => doubtsIn(sectionOf(app, name), await sectionOptions(name))),
  );
  // Of one word, a key may be anybody's.
  const misplaced = otherKeys.filter((key) => /^[a-z\d]+(_[a-z\d]+)+$/.test(key));
  const outside = await Promise.all(misplaced.map((key) => misplacedDoubt(app, key)));
  return [...topLevelDoubts(app), ...outside.flat(), ...inside.flat()];
}

/** A key of an object that stands beside it. */
async function misplacedDoubt({ name }: App, key: string): Promise<readonly Doubt[]> {
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
