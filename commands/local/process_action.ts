/**
 * What `mlcli local process` does.
 *
 * @module
 */

import { findApp } from "../../runtime/app/app.ts";
import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { process } from "../../runtime/local/process.ts";
import type { ProcessOptions } from "./process.ts";

/** Runs a processing script on the app's test data. */
export async function processAction(context: Context, options: ProcessOptions): Promise<void> {
  await process({
    app: await findApp(context.cwd, options.appName),
    tag: options.dockerTag,
    memory: options.memory,
    allowPrivileges: options.allowPrivileges,
    file: options.file,
    input: options.input === undefined ? undefined : absolutePath(context.cwd, options.input),
  }, context);
}
