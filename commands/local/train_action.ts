/**
 * What `mlcli local train` does.
 *
 * @module
 */

import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { train } from "../../runtime/local/train.ts";
import { ownVariables } from "../../runtime/variable_files.ts";
import { chosenApp } from "../chosen_app.ts";
import type { TrainOptions } from "./train.ts";

/** Trains on the app's test data. */
export async function trainAction(context: Context, options: TrainOptions): Promise<void> {
  await train({
    app: await chosenApp(context, options.appName),
    tag: options.dockerTag,
    memory: options.memory,
    allowPrivileges: options.allowPrivileges,
    strict: options.strict,
    grace: options.grace,
    stopAfter: options.stopAfter,
    checkpoints: options.checkpoints || options.stopAfter !== undefined,
    variables: await ownVariables(options, context),
    networkIsolation: options.networkIsolation,
    hyperparameters: options.hyperparameter,
    inputs: options.input.map(({ name, directory }) => ({
      name,
      source: absolutePath(context.cwd, directory),
    })),
  }, context);
}
