/** The app that a command is for, and the keys of its configuration file that mlcli does not know. */

import { type App, findApp, findApps, withImage, withTag } from "../runtime/app/app.ts";
import { type SectionName, SECTIONS } from "../runtime/app/configuration.ts";
import { unknownTopLevelKeys } from "../runtime/app/unknown_keys.ts";
import { typedPath } from "../runtime/app/typed_path.ts";
import type { Context } from "../runtime/context.ts";
import { type Message, warning } from "../runtime/messages.ts";
import { alternatives, inOneLine } from "../runtime/text.ts";
import type { Options } from "./options/option.ts";
import { optionsByKey, unknownKeysIn } from "./options/file.ts";
import type { Setting } from "../runtime/setting.ts";

interface Choice {
  readonly appName?: string | undefined;
}

/**
 * Finds the app, names its file if that is above, and warns of unknown keys in it.
 *
 * @throws MlcliError as `findApp` does.
 */
export async function chosenApp(context: Context, choice: Choice): Promise<App> {
  const app = await findApp(context.cwd, choice.appName);
  await tellOf([app], context);
  return app;
}

/** Returns the app with the image that a command uses. */
export function withChosenImage(
  app: App,
  { image, dockerTag }: {
    readonly image?: Setting<string> | undefined;
    readonly dockerTag?: string;
  },
): App {
  return withImage(dockerTag === undefined ? app : withTag(app, dockerTag), image?.value);
}

/**
 * Names the files of the apps, if they are above, and warns of unknown keys, for a command that can do
 * without an app. The command itself reports an app that cannot be read.
 */
export async function warnOfKeys(context: Context, choice: Choice): Promise<void> {
  await tellOf(await findApps(context.cwd, choice).catch(() => []), context);
}

async function tellOf(apps: readonly App[], { messages }: Context): Promise<void> {
  for (const app of apps) {
    if (app.directory !== app.cwd) {
      messages.note(`Using ${inOneLine(typedPath(app, app.configurationPath))}`);
    }
    messages.tell(await unknownKeys(app));
  }
}

/** Options of a command. The command's object in the configuration file can set those that have a key. */
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
export async function unknownKeys(app: App): Promise<readonly Message[]> {
  const { sections, otherKeys } = app.configuration;
  const names = SECTIONS.filter((name) => sections[name] !== undefined);
  const inside = await Promise.all(
    names.map(async (name) => unknownKeysIn(app, name, await sectionOptions(name))),
  );
  // A key of a single word might be another tool's.
  const misplaced = otherKeys.filter((key) => /^[a-z\d]+(_[a-z\d]+)+$/.test(key));
  const outside = await Promise.all(misplaced.map((key) => misplacedKey(app, key)));
  return [...unknownTopLevelKeys(app), ...outside.flat(), ...inside.flat()];
}

/** An option's key at the top level of the file instead of in its command's object. */
async function misplacedKey({ name }: App, key: string): Promise<readonly Message[]> {
  const places: string[] = [];
  for (const section of SECTIONS) {
    if (optionsByKey(await sectionOptions(section), section).has(key)) places.push(`"${section}"`);
  }
  if (places.length === 0) return [];
  return [warning(
    `${name}.json: "${key}" has no effect at the top level`,
    `Move it into ${alternatives(places)}: {${places[0]}: {"${key}": ...}}`,
  )];
}
