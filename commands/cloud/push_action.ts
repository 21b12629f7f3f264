/**
 * What `mlcli push` does.
 *
 * @module
 */

import { preparePush } from "../../runtime/cloud/push/push.ts";
import type { Context } from "../../runtime/context.ts";
import { chosenApp } from "../chosen_app.ts";
import { pushProgress } from "../render/push_progress.ts";
import type { PushOptions } from "./push.ts";
import { printableJson } from "../../runtime/text.ts";

/** Pushes the app's image and prints its address; with --dry-run, the calls that it would take. */
export async function pushAction(context: Context, options: PushOptions): Promise<void> {
  const app = await chosenApp(context, options.appName);
  const { dockerTag: tag, repository } = options;
  using progress = pushProgress(context.err);
  const push = await preparePush({ app, tag, repository, choice: options }, context, progress);
  if (options.dryRun) {
    context.out.print(`${printableJson(push.calls, 2)}\n`);
    return;
  }
  const address = await push.run();
  progress.done();
  context.out.print(`${address}\n`);
}
