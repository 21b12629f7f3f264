/**
 * What `mlcli local train` does.
 *
 * @module
 */

import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { train } from "../../runtime/local/train.ts";
import { planInput } from "./plan_input.ts";
import type { TrainOptions } from "./train.ts";

/** Trains on the app's test data. */
export async function trainAction(context: Context, options: TrainOptions): Promise<void> {
  await train({
    ...await planInput(context, options),
    hyperparameters: options.hyperparameter,
    inputs: options.input.map(({ name, directory }) => ({
      name,
      source: absolutePath(context.cwd, directory),
    })),
    caller: context.caller,
    console: context,
    engine: context.engine,
  });
}
