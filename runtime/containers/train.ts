/**
 * `local train`: the user's training code on the test data, in a container.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Caller } from "../context.ts";
import type { Engine } from "../docker/engine.ts";
import { readHyperparameters } from "../project/hyperparameters.ts";
import { type Layout, requireTestDirectory, requireTrainingData } from "../project/layout.ts";
import { trainingFiles } from "./contract_files.ts";
import { makeDirectory } from "./create.ts";
import { jobName, runJob } from "./job.ts";
import { type PlanInput, trainPlan } from "./plan.ts";
import type { RunConsole } from "./run.ts";
import { withRunFolder } from "./run_folder.ts";

/** What to train, and with what. */
export interface TrainRequest extends PlanInput {
  /** `key=value` as given on the command line; they win over the file's. */
  readonly hyperparameters: readonly string[];
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
  const { layout } = request;
  await requireTestDirectory(layout);
  await requireTrainingData(layout);
  // A mount point inside a read-only mount cannot be made by the engine.
  await makeDirectory(layout.configInput);
  const hyperparameters = await readHyperparameters(layout, request.hyperparameters);
  const channels = await channelsOf(layout);
  const engine = await request.engine();
  const name = jobName(request.app, "train");
  const files = trainingFiles(hyperparameters, channels);
  await withRunFolder(engine, layout, name, files, async (configFolder) => {
    await copyOthers(layout.configInput, configFolder, Object.keys(files));
    const body = trainPlan({ ...request, name, configFolder });
    await runJob({ ...request, engine, title: "Training", reasonFile: "failure" }, name, body);
  });
}

/**
 * The user's other files beside the three: a mount hides what it is mounted over. Links are followed;
 * what leads nowhere, and what is no file (a pipe would be waited for), stays behind.
 */
async function copyOthers(from: string, to: string, except: readonly string[]): Promise<void> {
  for await (const entry of Deno.readDir(from)) {
    if (except.includes(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const info = await statIfThere(source);
    if (info?.isDirectory) {
      await Deno.mkdir(target);
      await copyOthers(source, target, []);
    } else if (info?.isFile) {
      await Deno.copyFile(source, target);
    }
  }
}

async function statIfThere(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** The directories below `input/data`, except the one that is for processing: the channels. */
async function channelsOf(layout: Layout): Promise<string[]> {
  const channels: string[] = [];
  for await (const entry of Deno.readDir(layout.inputData)) {
    if (entry.isDirectory && entry.name !== "processing") channels.push(entry.name);
  }
  return channels.sort();
}
