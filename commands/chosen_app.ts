import { type App, findApp, findApps } from "../runtime/app/app.ts";
import type { Context } from "../runtime/context.ts";
import { tell, warningText } from "../runtime/messages.ts";
import { configurationDoubts } from "./configuration_keys.ts";

/**
 * Finds the app that a command is for, and says which keys of its configuration file were probably meant differently.
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
 * Says the same for a command that takes the region of an app, and needs none: what is wrong with
 * the apps is for the command to say.
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
