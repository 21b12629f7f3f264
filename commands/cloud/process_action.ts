import { sectionOf } from "../../runtime/app/sections.ts";
import { process } from "../../runtime/cloud/process.ts";
import type { Context } from "../../runtime/context.ts";
import { chosenApp } from "../chosen_app.ts";
import type { OwnCall } from "../command.ts";
import { commonRequest, given } from "./job_request.ts";
import { ShownJob } from "./job_report.ts";
import type { ProcessDeclaration, ProcessOptions } from "./process.ts";

/** Runs a processing script on SageMaker, and waits for the end unless told not to. */
export async function processAction(
  context: Context,
  typed: ProcessOptions,
  call: OwnCall<ProcessDeclaration>,
): Promise<void> {
  const app = await chosenApp(context, typed.appName);
  const { options, settings } = await call.configured(sectionOf(app, "process"));
  using shown = new ShownJob(context);
  const { common, choice } = await commonRequest(
    app,
    { typed, options, settings },
    context,
  );
  await process(
    {
      ...common,
      typed: given({
        "--kms-key": typed.kmsKey,
        "--output-s3-location": typed.outputS3Location,
      }),
      file: options.file,
      arguments: options.args,
      input: options.inputS3Location,
      output: options.outputS3Location,
      inputSharded: options.inputSharded,
    },
    choice,
    context,
    shown,
  );
}
