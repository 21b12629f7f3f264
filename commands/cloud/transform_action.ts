import { type App, withTag } from "../../runtime/app/app.ts";
import { isMade, modelOf } from "../../runtime/cloud/transform/model.ts";
import { transform } from "../../runtime/cloud/transform/transform.ts";
import type { Context } from "../../runtime/context.ts";
import { JobProgress } from "./job_progress.ts";
import { jobRequest } from "./job_request.ts";
import type { TransformValues } from "./transform.ts";

/** Runs a batch transform job on SageMaker, and waits for the end unless told not to. */
export async function transformAction(context: Context, options: TransformValues): Promise<void> {
  const app = isMade(modelOf(options)) ? options.app : withoutImage(options);
  using shown = new JobProgress(context, options);
  await transform(
    await jobRequest(context, { ...options, app }, "mlcli transform"),
    context,
    shown,
  );
}

/** Returns the app without the file's image, which doesn't have to be trusted for an existing model. */
function withoutImage({ app, dockerTag }: TransformValues): App {
  const configuration = { ...app.configuration, image: undefined };
  return withTag({ ...app, configuration }, dockerTag);
}
