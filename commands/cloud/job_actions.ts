import { isOfAppsDirectory } from "../../runtime/app/image.ts";
import { sectionOf } from "../../runtime/app/sections.ts";
import { process } from "../../runtime/cloud/process.ts";
import { train } from "../../runtime/cloud/train.ts";
import type { Context } from "../../runtime/context.ts";
import type { S3Address } from "../../runtime/contract/addresses.ts";
import type { InstanceGroup } from "../../runtime/contract/instances.ts";
import type { PlacedData } from "../../runtime/contract/processing_data.ts";
import { UsageError } from "../../runtime/errors.ts";
import { chosenApp } from "../chosen_app.ts";
import type { ConfigurableCall } from "../command.ts";
import { type AppProgram, programOf } from "../program.ts";
import { JobProgress } from "./job_progress.ts";
import { given, jobRequest } from "./job_request.ts";
import type { ProcessDeclaration, ProcessOptions, TrainDeclaration, TrainOptions } from "./jobs.ts";

/** Trains on SageMaker, and waits for the end unless told not to. */
export async function trainAction(
  context: Context,
  typed: TrainOptions,
  call: ConfigurableCall<TrainDeclaration>,
): Promise<void> {
  const own = await chosenApp(context, typed);
  const configured = await call.configured(sectionOf(own, "train"));
  const { options, settings } = configured;
  const runs = await programOf(own, "train", typed, typed.args, context);
  requireSendable(typed, runs);
  const groups = groupsOf(typed, options);
  using shown = new JobProgress(context, typed);
  await train(
    {
      ...await jobRequest(runs, configured, context, "mlcli train"),
      ...groups.length === 0 ? {} : {
        instanceType: groups[0]!.type,
        instanceCount: groups.reduce((sum, { count }) => sum + count, 0),
      },
      groups,
      program: runs.program,
      volumeSize: options.volumeSize,
      maxRun: options.maxRun,
      typed: given({
        "--output-s3-dir": typed.outputS3Dir,
        "--checkpoint-s3-dir": typed.checkpointS3Dir,
        "--kms-key": typed.kmsKey,
      }),
      inputs: options.inputS3Dir,
      shards: options.shard,
      output: options.outputS3Dir,
      hyperparameters: [...settings.hyperparameter ?? [], ...typed.hyperparameter],
      sendsCode: typed.sendCode,
      spot: options.spot,
      maxWait: options.maxWait,
      checkpoints: options.checkpointS3Dir,
    },
    options,
    context,
    shown,
  );
}

/**
 * Of the file, groups give way to machines that were typed, as machines do to groups.
 * @throws UsageError where both were typed.
 */
function groupsOf(typed: TrainOptions, options: TrainOptions): readonly InstanceGroup[] {
  const hasMachines = typed.ec2Type !== undefined || typed.instanceCount > 1;
  if (!hasMachines) return options.instanceGroup;
  if (typed.instanceGroup.length === 0) return [];
  throw new UsageError(
    'Option "--instance-group" cannot be used with "--ec2-type" or "--instance-count"',
    { hint: "Set the instance type and count in each group: --instance-group gpu=ml.g5.xlarge:2" },
  );
}

/** @throws UsageError where the app has no code of its own that an image of mlcli's would run. */
function requireSendable(
  { sendCode }: TrainOptions,
  { app, program: { code, command } }: AppProgram,
): void {
  const runsOwn = code === undefined && command.length === 0 && isOfAppsDirectory(app);
  if (!sendCode || runsOwn) return;
  throw new UsageError(
    'Option "--send-code" requires the Dockerfile of mlcli init, and no entry point or command',
    { hint: code ? "Remove --send-code: the code of an entry point is always sent" : undefined },
  );
}

/** Runs a processing script on SageMaker, and waits for the end unless told not to. */
export async function processAction(
  context: Context,
  typed: ProcessOptions,
  call: ConfigurableCall<ProcessDeclaration>,
): Promise<void> {
  const own = await chosenApp(context, typed);
  const configured = await call.configured(sectionOf(own, "process"));
  const { options } = configured;
  const runs = await programOf(own, "process", typed, typed.args, context);
  const outputs = typed.outputS3Location;
  using shown = new JobProgress(context, typed);
  await process(
    {
      ...await jobRequest(runs, configured, context, "mlcli process"),
      program: runs.program,
      volumeSize: options.volumeSize,
      maxRun: options.maxRun,
      typed: given({
        "--kms-key": typed.kmsKey,
        "--output-s3-location": outputs.length > 0 ? outputs : undefined,
      }),
      file: options.file,
      // An input has an address.
      inputs: options.inputS3Location as PlacedData<S3Address>[],
      outputs: options.outputS3Location,
      shards: options.shard,
    },
    options,
    context,
    shown,
  );
}
