/**
 * `local train`: the user's training code on the test data, in a container.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Caller } from "../context.ts";
import type { Engine } from "../docker/engine.ts";
import { readHyperparameters } from "../app/hyperparameters.ts";
import { requireLayoutInside, requireTestDirectory } from "../app/layout.ts";
import { type Channel, channelRemedy, channelsOf, makeInputFolder } from "./channels.ts";
import { copyConfiguration } from "./configuration_copy.ts";
import { trainingFiles } from "../contract/configuration_files.ts";
import { makeDirectory } from "./container/create.ts";
import { jobName, runJob } from "./job.ts";
import { type PlanInput, trainPlan } from "./plan.ts";
import type { RunConsole } from "./container/run.ts";
import { withRunFolder } from "./run_folder.ts";

/** What to train, and with what. */
export interface TrainRequest extends PlanInput {
  /** `key=value` as given on the command line; they win over the file's. */
  readonly hyperparameters: readonly string[];
  /** Data that the user named, instead of the layout's. */
  readonly inputs: readonly Channel[];
  readonly caller: Caller | undefined;
  readonly console: RunConsole;
  readonly engine: () => Promise<Engine>;
}

/**
 * Trains. Artifacts are in the layout's `model`, everything else in its `output` afterwards.
 *
 * @throws MlcliError when the layout, the hyperparameters, the image or the engine are not fit.
 * @throws UserCodeError when the training code failed.
 */
export async function train(request: TrainRequest): Promise<void> {
  const { layout, inputs } = request;
  const isNamed = inputs.some(({ name }) => name === "training");
  const checkPaths = () =>
    requireLayoutInside(
      layout,
      "training",
      isNamed ? [layout.trainingData] : [],
      channelRemedy("training"),
    );
  await checkPaths();
  await requireTestDirectory(layout);
  // A mount point inside a read-only mount cannot be made by the engine.
  await makeDirectory(layout.configInput);
  await makeDirectory(layout.inputData);
  const channels = await channelsOf(layout, inputs);
  const hyperparameters = await readHyperparameters(layout, request.hyperparameters);
  const engine = await request.engine();
  const name = jobName(request.app, "train");
  const files = trainingFiles(hyperparameters, channels.all.map((channel) => channel.name));
  await withRunFolder(engine, layout, name, files, async ({ config, folder }) => {
    await copyConfiguration(layout, config, Object.keys(files));
    const inputFolder = channels.areApart ? join(folder, "input") : undefined;
    if (inputFolder !== undefined) await makeInputFolder(inputFolder, channels.all);
    await runJob(
      { ...request, engine, checkPaths, title: "Training", reasonFile: "failure" },
      name,
      (withInit) =>
        trainPlan({
          ...request,
          withInit,
          name,
          configFolder: config,
          inputFolder,
          channels: channels.all,
        }),
    );
  });
}
