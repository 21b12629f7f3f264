/** What a training is made of, before anything is made for it. */

import { basename } from "@std/path/basename";
import {
  readHyperparametersFile,
  requireLayoutInside,
  requireTestDirectory,
} from "../app/layout.ts";
import type { Paths } from "../app/paths.ts";
import type { Channel } from "../contract/channels.ts";
import { hyperparametersOf, hyperparameterTypos } from "../contract/hyperparameters.ts";
import { holdsHarness } from "../contract/images.ts";
import type { Program } from "../contract/launch.ts";
import type { ImageDetails } from "../docker/images.ts";
import { programFor } from "../source/program.ts";
import { packCode, type PackedCode } from "../source/source.ts";
import { channelRemedy, channelsOf, emptyChannels, requireNoCodeChannel } from "./channels.ts";
import type { Host, TrainingJob } from "./jobs.ts";
import { sayProblems } from "./metrics/messages.ts";
import type { Metrics } from "./metrics/metrics.ts";

export interface KnownTraining {
  readonly layout: Paths;
  readonly checkPaths: () => Promise<void>;
  readonly metrics: Metrics | undefined;
  readonly sent: PackedCode | undefined;
  /** Those of the layout and those that are named, also without a file. */
  readonly found: readonly Channel[];
  readonly empty: readonly string[];
  readonly channels: readonly Channel[];
  readonly hyperparameters: Readonly<Record<string, string>>;
}

/**
 * Reads and validates everything that a training run needs, without changing anything.
 *
 * @throws MlcliError if the layout or the hyperparameters cannot be used.
 */
export async function knownTraining(
  job: TrainingJob,
  host: Pick<Host, "clock" | "messages">,
): Promise<KnownTraining> {
  const layout = job.app.paths;
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
  const metrics = await metricsOf(job, host);
  const { code } = job.program;
  const sent = code && await packCode([code], code.entryPoint, host.messages);
  const found = await channelsOf(layout, job.inputs, sent === undefined);
  const empty = await emptyChannels(layout, found);
  // The user's own code might need no data: an empty channel of init is then not a channel.
  const channels = found.filter(({ name }) => sent === undefined || !empty.includes(name));
  const file = await readHyperparametersFile(layout);
  const hyperparameters = hyperparametersOf(file, job.hyperparameter);
  for (const text of hyperparameterTypos(file, job.hyperparameter)) {
    host.messages.warning(text);
  }
  return { layout, checkPaths, metrics, sent, found, empty, channels, hyperparameters };
}

/** @throws MlcliError if its image cannot run it, or if a channel has the name of the code channel. */
export async function programOf(
  job: TrainingJob,
  { layout, sent, found }: KnownTraining,
  image: ImageDetails,
): Promise<Program> {
  const reference = job.app.image;
  const program = await programFor(job.program, reference, image, sent);
  if (sent || holdsHarness(image)) requireNoCodeChannel(layout, found, job.inputs);
  return program;
}

/**
 * Returns the search for metrics in the output; nothing if the app defines no metrics.
 *
 * @throws MlcliError for an invalid expression.
 */
async function metricsOf(
  job: TrainingJob,
  host: Pick<Host, "clock" | "messages">,
): Promise<Metrics | undefined> {
  const { metricDefinitions } = job.app.configuration;
  if (metricDefinitions.length === 0) return undefined;
  // Loaded late: the engine for expressions takes some milliseconds.
  const { Metrics } = await import("./metrics/metrics.ts");
  const { metricProblems } = await import("../contract/metric_values.ts");
  const metrics = new Metrics(metricDefinitions, () => host.clock.date().getTime());
  sayProblems(metricProblems(metrics.unusable, fileOf(job)), host.messages);
  return metrics;
}

/** The configuration file's name. */
export function fileOf({ app }: TrainingJob): string {
  return basename(app.configurationPath);
}
