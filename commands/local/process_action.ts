/**
 * What `mlcli local process` does.
 *
 * @module
 */

import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { process } from "../../runtime/local/process.ts";
import { planInput } from "./plan_input.ts";
import type { ProcessOptions } from "./process.ts";

/** Runs a processing script on the app's test data. */
export async function processAction(context: Context, options: ProcessOptions): Promise<void> {
  await process({
    ...await planInput(context, options),
    file: options.file,
    input: options.input === undefined ? undefined : absolutePath(context.cwd, options.input),
    caller: context.caller,
    console: context,
    engine: context.engine,
  });
}
