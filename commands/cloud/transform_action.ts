import { type App, withImage } from "../../runtime/app/app.ts";
import { sectionOf } from "../../runtime/app/sections.ts";
import { isMade } from "../../runtime/cloud/transform/model.ts";
import { transform } from "../../runtime/cloud/transform/transform.ts";
import type { Context } from "../../runtime/context.ts";
import { chosenApp } from "../chosen_app.ts";
import type { ConfigurableCall } from "../command.ts";
import { requireCompatible, requireNoTag } from "../usage.ts";
import { JobProgress } from "./job_progress.ts";
import { given, jobRequest } from "./job_request.ts";
import type { TransformDeclaration, TransformOptions } from "./jobs.ts";

/** Has a model answer a batch of requests on SageMaker, and waits for the end unless told not to. */
export async function transformAction(
  context: Context,
  typed: TransformOptions,
  call: ConfigurableCall<TransformDeclaration>,
): Promise<void> {
  requireCompatible(
    "mlcli transform",
    [["--model", "--job"], ["--model", "--endpoint"], ["--job", "--endpoint"]],
    {
      "--model": typed.model !== undefined,
      "--job": typed.job !== undefined,
      "--endpoint": typed.endpoint !== undefined,
    },
  );
  const own = await chosenApp(context, typed);
  const configured = await call.configured(sectionOf(own, "transform"));
  const { options } = configured;
  const model = typed.job ?? typed.endpoint ?? options.model;
  const app = isMade(model) ? withImage(own, options.image) : withoutImage(own);
  requireNoTag(app, typed, context.env);
  const runs = { app, isImageTyped: typed.image !== undefined };
  using shown = new JobProgress(context, typed);
  await transform(
    {
      ...await jobRequest(runs, configured, context, "mlcli transform"),
      typed: given({
        "--image": typed.image,
        "--kms-key": typed.kmsKey,
        "--network-isolation": typed.networkIsolation || undefined,
        "--output-s3-dir": typed.outputS3Dir,
        "--subnet": typed.subnet[0],
      }),
      model,
      input: options.inputS3Location,
      output: options.outputS3Dir,
      asked: options,
    },
    options,
    context,
    shown,
  );
}

/** For a model that is there already: nobody asks whether the file's image may be trusted. */
function withoutImage(app: App): App {
  return { ...app, configuration: { ...app.configuration, image: undefined } };
}
