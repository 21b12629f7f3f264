/**
 * `mlcli local train`
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import type { AnyCommand } from "../command.ts";
import { parseChannel } from "../options.ts";
import { withContainerOptions } from "./container_options.ts";
import type { ContainerOptions } from "./local_job.ts";

interface Options extends ContainerOptions {
  readonly hyperparameter?: readonly string[];
  readonly input?: readonly string[];
}

/** Runs the training code on the test data. */
export function trainCommand(context: Context): AnyCommand {
  const command: AnyCommand = new Command()
    .description("Run the training code on the test data.");
  return withContainerOptions(command)
    .option(
      "--hyperparameter <pair:string>",
      "KEY=VALUE, over those of input/config/hyperparameters.json. May be repeated.",
      { collect: true },
    )
    .option(
      "--input <channel:string>",
      "CHANNEL=DIR, a directory instead of that of input/data, read-only. May be repeated.",
      { collect: true },
    )
    .example("Train on the test data", "mlcli local train")
    .example("Try other hyperparameters", "mlcli local train --hyperparameter epochs=20")
    .example("Train on data elsewhere", "mlcli local train --input training=/data/churn")
    .action(async (options: Options) => {
      const named = (options.input ?? []).map(parseChannel);
      const { localJob } = await import("./local_job.ts");
      const { train } = await import("../../runtime/local/train.ts");
      const { absolutePath } = await import("../../runtime/app/typed_path.ts");
      await train({
        ...await localJob(context, options),
        hyperparameters: options.hyperparameter ?? [],
        inputs: named.map(({ name, directory }) => ({
          name,
          source: absolutePath(context.cwd, directory),
        })),
      }, context);
    });
}
