/**
 * The app that a command is for.
 *
 * @module
 */

import { type App, findApp } from "../runtime/app/app.ts";
import { topLevelDoubts } from "../runtime/app/sections.ts";
import { tell } from "../runtime/message.ts";
import type { Context } from "../runtime/context.ts";
import { warningText } from "../runtime/text.ts";

/**
 * Finds it, and says which keys of its configuration file were probably meant differently.
 *
 * @param appName as given with `--app-name`.
 * @throws MlcliError as `findApp` does.
 */
export async function chosenApp(context: Context, appName: string | undefined): Promise<App> {
  const app = await findApp(context.cwd, appName);
  for (const { message, hint } of topLevelDoubts(app)) {
    tell(context.err, warningText(message, hint));
  }
  return app;
}
