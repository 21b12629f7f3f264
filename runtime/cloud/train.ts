import { basename } from "@std/path/basename";
import { requireInside } from "../app/confinement.ts";
import { layoutOf, readHyperparametersFile } from "../app/layout.ts";
import type { AwsOptions } from "../aws/settings.ts";
import {
  channelDifferences,
  environmentDifferences,
  hyperparameterDifferences,
} from "../contract/differences.ts";
import { hyperparametersOf } from "../contract/hyperparameters.ts";
import { inOrder, type Note } from "./in_parallel.ts";
import type { JobReport } from "./jobs/follow.ts";
import { checkInput, checkPlace, dataAddress } from "./preflight/data.ts";
import {
  checkChannelNames,
  checkNetworkAndTags,
  maxWaitOf,
  outputOf,
  placeOf,
  requireGiven,
  requireNone,
} from "./start/checks.ts";
import { trainingPlan, type TrainingRequest } from "./start/plan.ts";
import { type JobHost, newJobName, startJob } from "./start/start.ts";

/**
 * Trains on SageMaker. Everything is checked before the job is created.
 *
 * @throws UsageError for options that are missing or do not go together; MlcliError for what the
 * platform would refuse or the job would not find; what the end of the job means, as an error.
 */
export async function train(
  request: TrainingRequest,
  choice: AwsOptions,
  host: JobHost,
  report: JobReport,
): Promise<void> {
  const { app, inputs, instanceType, checkpoints } = request;
  const role = request.executionRole;
  requireGiven("train", app, [
    ["--input-s3-dir", inputs],
    ["--ec2-type", instanceType],
    ["--execution-role", role],
  ]);
  const output = outputOf(
    request,
    { kind: "train", flag: "--output-s3-dir", named: request.output, path: "output" },
  );
  const kept = checkpoints && placeOf(request, "train", "--checkpoint-s3-dir", checkpoints);
  const maxWait = maxWaitOf(request);
  const names = inputs.map(({ name }) => name);
  checkChannelNames(names);
  checkNetworkAndTags(request);
  const hyperparameters = await hyperparametersFor(request);
  requireNone([
    ...hyperparameterDifferences(hyperparameters),
    ...channelDifferences(names),
    ...environmentDifferences("train", request.variables),
  ]);
  const metrics = app.configuration.metricDefinitions;
  await checkMetrics(request, report);
  if (request.spot && checkpoints === undefined) {
    report.note(
      "Without --checkpoint-s3-dir a training that the platform interrupts starts anew.",
    );
  }
  await startJob(
    newJobName(request, host),
    {
      kind: "train",
      action: "sagemaker:CreateTrainingJob",
      request,
      role: role!,
      instanceType: instanceType!,
      checkData: async (aws, note) => {
        const s3 = await aws.s3();
        const [channels] = await inOrder(
          note,
          (note) =>
            inOrder(
              note,
              ...inputs.map(({ name, address }) => async (note: Note) => {
                const found = await dataAddress(s3, address);
                await checkInput(s3, found, note);
                return { name, address: found };
              }),
            ),
          (note: Note) => checkPlace(aws, output, note),
          async (note: Note) => kept && await checkPlace(aws, kept, note),
        );
        return channels;
      },
      plan: (common, channels) =>
        trainingPlan({
          ...common,
          output: output.address,
          channels,
          hyperparameters,
          metrics,
          maxWait,
          checkpoints,
        }),
      send: (sagemaker, input) => sagemaker.createTrainingJob(input),
    },
    choice,
    host,
    report,
  );
}

/** As `local train` reads them. */
async function hyperparametersFor(
  { app, hyperparameters }: TrainingRequest,
): Promise<Readonly<Record<string, string>>> {
  const layout = layoutOf(app);
  await requireInside(layout, [layout.configInput, layout.hyperparameters]);
  return hyperparametersOf(await readHyperparametersFile(layout), hyperparameters);
}

/** Notes expressions that are certainly wrong; whether SageMaker takes the others is not known here. */
async function checkMetrics({ app }: TrainingRequest, report: JobReport): Promise<void> {
  const { metricDefinitions } = app.configuration;
  if (metricDefinitions.length === 0) return;
  // Loaded only here: the engine for the expressions takes some milliseconds.
  const { metricProblems, MetricSearch } = await import("../contract/metric_values.ts");
  const { unusable } = new MetricSearch(metricDefinitions);
  for (const { message, isWrong } of metricProblems(unusable, basename(app.configurationPath))) {
    if (isWrong) report.note(message);
  }
}
