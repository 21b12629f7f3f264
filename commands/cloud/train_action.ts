import { sectionOf } from "../../runtime/app/sections.ts";
import { train } from "../../runtime/cloud/train.ts";
import type { Context } from "../../runtime/context.ts";
import { chosenApp } from "../chosen_app.ts";
import type { OwnCall } from "../command.ts";
import { commonRequest, given } from "./job_request.ts";
import { ShownJob } from "./job_report.ts";
import type { TrainDeclaration, TrainOptions } from "./train.ts";

/** Trains on SageMaker, and waits for the end unless told not to. */
export async function trainAction(
  context: Context,
  typed: TrainOptions,
  call: OwnCall<TrainDeclaration>,
): Promise<void> {
  const app = await chosenApp(context, typed.appName);
  const { options, settings } = await call.configured(sectionOf(app, "train"));
  using shown = new ShownJob(context);
  const { common, choice } = await commonRequest(
    app,
    { typed, options, settings },
    context,
  );
  await train(
    {
      ...common,
      typed: given({
        "--output-s3-dir": typed.outputS3Dir,
        "--checkpoint-s3-dir": typed.checkpointS3Dir,
        "--kms-key": typed.kmsKey,
      }),
      inputs: options.inputS3Dir,
      output: options.outputS3Dir,
      hyperparameters: [...settings.hyperparameter ?? [], ...typed.hyperparameter],
      spot: options.spot,
      maxWait: options.maxWait,
      checkpoints: options.checkpointS3Dir,
    },
    choice,
    context,
    shown,
  );
}
