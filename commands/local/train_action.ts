import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import type { TrainingJob } from "../../runtime/local/jobs.ts";
import { train } from "../../runtime/local/train.ts";
import { printableJson } from "../../runtime/text.ts";
import type { ConfigurableCall } from "../command.ts";
import { hostsOf } from "../options/hosts.ts";
import { requireCompatible } from "../usage.ts";
import { programRequest, publishedPorts } from "./container_request.ts";
import { runHost } from "./image_access.ts";
import type { TrainDeclaration, TrainOptions } from "./train.ts";

/** `--watch` runs more than once, `--dry-run` never; the others are about one run. */
const CONTRADICTIONS = [
  ["--watch", "--strict"],
  ["--watch", "--interactive"],
  ["--watch", "--stop-after"],
  ["--watch", "--instance-count"],
  ["--interactive", "--instance-count"],
  ["--dry-run", "--watch"],
  ["--dry-run", "--interactive"],
] as const;

/** Trains on the app's test data. */
export async function trainAction(
  context: Context,
  options: TrainOptions,
  call: ConfigurableCall<TrainDeclaration>,
): Promise<void> {
  requireCompatible("mlcli local train", CONTRADICTIONS, {
    "--watch": options.watch,
    "--strict": options.strict,
    "--interactive": options.interactive,
    "--dry-run": options.dryRun,
    "--instance-count": options.instanceCount > 1,
    "--stop-after": options.stopAfter !== undefined,
  });
  const request = await programRequest(context, "train", options, options.args, call);
  const job: TrainingJob = {
    ...request,
    usesNetworkSettings: options.networkSettings,
    interactive: options.interactive,
    grace: options.grace,
    copyInputs: options.copyInputs,
    hosts: hostsOf(options),
    ports: publishedPorts("mlcli local train", options, request),
    stopAfter: options.stopAfter,
    checkpoints: options.checkpoints || options.stopAfter !== undefined,
    hyperparameters: options.hyperparameter,
    inputs: options.input.map(({ name, directory }) => ({
      name,
      source: absolutePath(context.cwd, directory),
    })),
  };
  const host = runHost(context, request.app, options);
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
