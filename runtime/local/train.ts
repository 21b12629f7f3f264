/**
 * `local train`: the user's training code on the test data, in a container.
 *
 * @module
 */

import { join } from "@std/path/join";
import { readHyperparametersFile } from "../app/hyperparameters_file.ts";
import { layoutOf, requireLayoutInside, requireTestDirectory } from "../app/layout.ts";
import { trainingFiles } from "../contract/configuration_files.ts";
import { hyperparametersOf } from "../contract/hyperparameters.ts";
import { jobName, platformJobName } from "../contract/job_names.ts";
import { makeDirectory } from "../files.ts";
import { areApart, channelRemedy, channelsOf, makeInputFolder } from "./channels.ts";
import { copyConfiguration } from "./configuration_copy.ts";
import { runJob } from "./job.ts";
import type { Host, TrainingJob } from "./jobs.ts";
import { trainPlan } from "./plan.ts";
import { withRunFolder } from "./run_folder.ts";

/**
 * Trains. Artifacts are in the layout's `model`, everything else in its `output` afterwards.
 *
 * @throws MlcliError when the layout, the hyperparameters, the image or the engine cannot be used.
 * @throws UserCodeError when the training code failed.
 */
export async function train(job: TrainingJob, host: Host): Promise<void> {
  const layout = layoutOf(job.app);
  const isNamed = job.inputs.some(({ name }) => name === "training");
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
  const channels = await channelsOf(layout, job.inputs);
  const file = await readHyperparametersFile(layout);
  const hyperparameters = hyperparametersOf(file, job.hyperparameters);
  const engine = await host.engine();
  const region = await host.region(job.app.configuration);
  const name = jobName(job.app.name, "train");
  const files = trainingFiles(hyperparameters, channels.map((channel) => channel.name));
  await withRunFolder(engine, layout, name, files, async ({ config, folder }) => {
    await copyConfiguration(layout, config, Object.keys(files));
    const inputFolder = await areApart(layout, channels) ? join(folder, "input") : undefined;
    if (inputFolder !== undefined) await makeInputFolder(inputFolder, channels);
    await runJob(job, {
      kind: "train",
      name,
      checkPaths,
      plan: (withInit) =>
        trainPlan(job, {
          name,
          jobName: platformJobName(job.app.name, new Date().toISOString()),
          region,
          withInit,
          configFolder: config,
          inputFolder,
          channels,
        }),
    }, host);
  });
}
