import { basename } from "@std/path/basename";
import { requireInside } from "../app/confinement.ts";
import { isOfAppsDirectory } from "../app/image.ts";
import { readHyperparametersFile } from "../app/layout.ts";
import type { Aws } from "../aws/aws.ts";
import {
  channelDifferences,
  commandDifferences,
  environmentDifferences,
  hyperparameterDifferences,
} from "../contract/differences.ts";
import { hyperparametersOf, hyperparameterTypos } from "../contract/hyperparameters.ts";
import { isSharded } from "../contract/hosts.ts";
import { holdsHarness } from "../contract/images.ts";
import { holdsToolkitByName } from "../contract/aws_images.ts";
import { CODE_CHANNEL, launchOf, type Program } from "../contract/launch.ts";
import { MlcliError } from "../errors.ts";
import type { Messages } from "../messages.ts";
import { programFor } from "../source/program.ts";
import { inOrder, type Note } from "./in_parallel.ts";
import type { CloudResult } from "./jobs/follow.ts";
import { checkInput, checkPlace, dataAddress } from "./preflight/data.ts";
import { imageFacts } from "./preflight/image_facts.ts";
import {
  checkChannelNames,
  checkGroups,
  checkNetworkAndTags,
  checkShards,
  maxWaitOf,
  outputOf,
  requireGiven,
  requireNone,
} from "./start/checks.ts";
import { type CodeToSend, codeToSend, missingObjects, noteNoNetwork } from "./start/code.ts";
import { trainingPlan, type TrainingRequest } from "./start/plan.ts";
import { type JobHost, newJobName, startJob } from "./start/start.ts";

/**
 * Trains on SageMaker. Checks everything before the job is created.
 *
 * @throws UsageError for options that are missing or exclude each other; MlcliError for settings that
 * SageMaker would reject, and for data that the job would not find; the error that the end of the job means.
 */
export async function train(
  asked: TrainingRequest,
  host: JobHost,
): Promise<CloudResult | { readonly calls: readonly unknown[] }> {
  const { messages } = host;
  const request = withGroups(asked);
  const { app, inputS3Dir: inputs, checkpointS3Dir: checkpoints, program, kmsKey } = request;
  const { ec2Type: instanceType, executionRole: role } = request;
  const isSending = program.code !== undefined || request.sendCode;
  requireGiven("train", app, [
    ...program.code === undefined ? [["--input-s3-dir", inputs] as const] : [],
    ["--ec2-type", instanceType],
    ["--execution-role", role],
  ]);
  const output = outputOf(app, "--output-s3-dir", request.outputS3Dir, "output");
  const kept = checkpoints && { ...checkpoints, flag: "--checkpoint-s3-dir" };
  const maxWait = maxWaitOf(request);
  const names = inputs.map(({ name }) => name);
  checkChannelNames(names, isSending || isOfAppsDirectory(app));
  checkShards(request, names, messages);
  checkGroups(request);
  checkNetworkAndTags(request);
  const hyperparameters = await hyperparametersFor(request, messages);
  const code = await codeToSend(request, output, messages);
  const name = newJobName(request, host);
  requireNone([
    ...hyperparameterDifferences(hyperparameters),
    ...channelDifferences(code ? [...names, CODE_CHANNEL] : names),
    ...environmentDifferences("train", request.variables),
  ]);
  const metrics = app.configuration.metricDefinitions;
  await checkMetrics(request, messages);
  if (request.spot && checkpoints === undefined) {
    messages.note(
      "Without --checkpoint-s3-dir, an interrupted spot job restarts from the beginning",
    );
  }
  noteNoNetwork(code, request, messages);
  return await startJob(
    name,
    {
      kind: "train",
      action: "sagemaker:CreateTrainingJob",
      request,
      ...request.instanceGroup.length > 0 && { groups: request.instanceGroup },
      role: role!,
      instanceType: instanceType!,
      checkData: async (aws, note) => {
        const s3 = await aws.s3();
        const [channels, , , launched] = await inOrder(
          note,
          (note) =>
            inOrder(
              note,
              ...inputs.map(({ name, address }) => async (note: Note) => {
                const found = await dataAddress(s3, address);
                const sharded = isSharded(request.shard, name);
                await checkInput(s3, found, note, sharded ? request.instanceCount : 1);
                return { name, address: found, isSharded: sharded };
              }),
            ),
          (note: Note) => checkPlace(aws, output, note),
          async (note: Note) => kept && await checkPlace(aws, kept, note),
          async () => {
            const found = await programOnPlatform(request, code, aws, host.engine);
            const launch = launchOf(found, { name, region: s3.region.value });
            requireNone([
              ...hyperparameterDifferences({ ...hyperparameters, ...launch.hyperparameters }),
              ...commandDifferences("training", launch.entrypoint ?? [], launch.arguments ?? []),
            ]);
            const missing = code && await missingObjects(aws, code, found.launcher, kmsKey);
            return { launch, missing };
          },
        );
        return { channels, ...launched };
      },
      code,
      plan: (common, { channels, launch }) =>
        trainingPlan({
          ...common,
          output: output.value,
          channels: code
            ? [...channels, { name: CODE_CHANNEL, address: code.place.value, isSharded: false }]
            : channels,
          hyperparameters,
          metrics,
          instanceGroup: request.instanceGroup,
          maxWait,
          checkpoints: checkpoints?.value,
          launch,
        }),
    },
    host,
  );
}

/** Returns the request with the first group's type and the number of all instances. */
function withGroups(request: TrainingRequest): TrainingRequest {
  const { instanceGroup: groups } = request;
  if (groups.length === 0) return request;
  const instanceCount = groups.reduce((sum, { count }) => sum + count, 0);
  return { ...request, ec2Type: groups[0]!.type, instanceCount };
}

/**
 * Returns what runs the entry point: by default, the image decides.
 *
 * @throws UsageError if the launcher of the entry point is unknown; MlcliError if the image does not run code
 * that is sent.
 */
async function programOnPlatform(
  request: TrainingRequest,
  code: CodeToSend | undefined,
  aws: Pick<Aws, "ecr">,
  engine: JobHost["engine"],
): Promise<Program> {
  const { app, program, inputS3Dir: inputs, sendCode, ec2Type } = request;
  const reference = app.image;
  const isAsked = sendCode ||
    (program.code === undefined
      ? program.distribution !== undefined && program.command.length === 0
      : program.launcher === undefined && !holdsToolkitByName(reference));
  const image = isAsked
    ? await imageFacts({ ...request, instanceType: ec2Type! }, await aws.ecr(), engine)
    : undefined;
  if (image !== undefined && holdsHarness(image)) {
    checkChannelNames(inputs.map(({ name }) => name), true);
  } else if (sendCode) {
    throw new MlcliError(
      image === undefined
        ? `Cannot determine whether ${reference} supports --send-code`
        : `${reference} does not support --send-code: mlcli did not build it`,
      {
        hint: image === undefined
          ? "Add the permissions ecr:BatchGetImage and ecr:GetDownloadUrlForLayer, or pull the image"
          : "Build an image with mlcli build, or send code to this image with --entry-point",
      },
    );
  }
  return await programFor(program, reference, image, code);
}

/** Reads the hyperparameters of the file and the command line, and warns of typos. */
async function hyperparametersFor(
  { app, hyperparameter: hyperparameters }: TrainingRequest,
  messages: Messages,
): Promise<Readonly<Record<string, string>>> {
  const layout = app.paths;
  await requireInside(layout, [layout.configInput, layout.hyperparameters]);
  const file = await readHyperparametersFile(layout);
  for (const text of hyperparameterTypos(file, hyperparameters)) messages.warning(text);
  return hyperparametersOf(file, hyperparameters);
}

/**
 * Prints notes on regular expressions that are certainly wrong. Whether SageMaker accepts the others is
 * unknown.
 */
async function checkMetrics({ app }: TrainingRequest, messages: Messages): Promise<void> {
  const { metricDefinitions } = app.configuration;
  if (metricDefinitions.length === 0) return;
  // Loaded late: the engine for regular expressions takes some milliseconds.
  const { metricProblems, MetricSearch } = await import("../contract/metric_values.ts");
  const { unusable } = new MetricSearch(metricDefinitions);
  for (const { level, message } of metricProblems(unusable, basename(app.configurationPath))) {
    if (level === "error") messages.note(message);
  }
}
