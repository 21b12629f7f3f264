import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import type { TrainingJob } from "../../runtime/local/jobs.ts";
import { train } from "../../runtime/local/train.ts";
import { printableJson } from "../../runtime/text.ts";
import { hostsOf } from "../options/hosts.ts";
import { requireCommand } from "../program.ts";
import { programRequest, requirePublishable } from "./container_request.ts";
import { runHost } from "./image_access.ts";
import type { TrainValues } from "./train.ts";

/** Trains on the app's test data. */
export async function trainAction(context: Context, options: TrainValues): Promise<void> {
  const { app, args, stopAfter } = options;
  requireCommand(args, options.command);
  const request = await programRequest(context, options, "mlcli local train", args);
  requirePublishable(request);
  const job: TrainingJob = {
    ...request,
    hosts: hostsOf(options),
    checkpoints: options.checkpoints || stopAfter !== undefined,
    inputs: options.input.map(({ name, directory }) => ({
      name,
      source: absolutePath(context.cwd, directory),
    })),
  };
  const host = runHost(context, app, options);
  if (options.dryRun) {
    const { plannedTraining } = await import("../../runtime/local/train_dry.ts");
    return context.out.print(`${printableJson(await plannedTraining(job, host), 2)}\n`);
  }
  if (options.watch) {
    const { watchTraining } = await import("./watch.ts");
    return await watchTraining(job, host);
  }
  await train(job, host);
}
