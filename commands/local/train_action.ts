/**
 * What `mlcli local train` does.
 *
 * @module
 */

import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { train } from "../../runtime/local/train.ts";
import type { OwnCall } from "../command.ts";
import { waitingOn } from "../render/progress/waiting.ts";
import { containerRequest } from "./container_request.ts";
import type { TrainDeclaration, TrainOptions } from "./train.ts";

/** Trains on the app's test data. */
export async function trainAction(
  context: Context,
  options: TrainOptions,
  call: OwnCall<TrainDeclaration>,
): Promise<void> {
  await train({
    ...await containerRequest(context, options, call),
    interactive: options.interactive,
    grace: options.grace,
    stopAfter: options.stopAfter,
    checkpoints: options.checkpoints || options.stopAfter !== undefined,
    hyperparameters: options.hyperparameter,
    inputs: options.input.map(({ name, directory }) => ({
      name,
      source: absolutePath(context.cwd, directory),
    })),
  }, { ...context, waiting: waitingOn(context.err) });
}
