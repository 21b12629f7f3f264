/**
 * What `mlcli push` does.
 *
 * @module
 */

import { preparePush } from "../../runtime/cloud/push/push.ts";
import type { Context } from "../../runtime/context.ts";
import { printableJson } from "../../runtime/text.ts";
import { chosenApp } from "../chosen_app.ts";
import { pushReport } from "../render/progress/push.ts";
import { Shown } from "../render/progress/shown.ts";
import type { PushOptions } from "./push.ts";

/** Pushes the app's image and prints its address; with --dry-run, the calls that it would take. */
export async function pushAction(context: Context, options: PushOptions): Promise<void> {
  const app = await chosenApp(context, options.appName);
  const { dockerTag: tag, repository } = options;
  using shown = new Shown(context.err, options);
  const report = pushReport(shown, () => context.clock.now());
  const push = await preparePush({ app, tag, repository, choice: options }, context, report);
  if (options.dryRun) {
    context.out.print(`${printableJson(push.calls, 2)}\n`);
    return;
  }
  const address = await push.run();
  shown.end();
  context.out.print(`${address}\n`);
}
