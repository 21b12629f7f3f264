import { isOfAppsDirectory } from "../../runtime/app/image.ts";
import { process } from "../../runtime/cloud/process.ts";
import { train } from "../../runtime/cloud/train.ts";
import type { Context } from "../../runtime/context.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { ProgramRequest } from "../../runtime/source/program.ts";
import { programOf, requireCommand } from "../program.ts";
import { JobProgress } from "./job_progress.ts";
import { jobRequest } from "./job_request.ts";
import type { ProcessValues } from "./process.ts";
import type { TrainValues } from "./train.ts";

/** Trains on SageMaker, and waits for the end unless told not to. */
export async function trainAction(context: Context, options: TrainValues): Promise<void> {
  const { app, args } = options;
  requireCommand(args, options.command);
  const program = await programOf(app, options, args);
  requireSendable(options, program);
  using shown = new JobProgress(context, options);
  const request = await jobRequest(context, options, "mlcli train");
  await train({ ...request, program }, context, shown);
}

/** @throws UsageError if the image doesn't run the app's own code. */
function requireSendable(
  { app, sendCode }: TrainValues,
  { code, command }: ProgramRequest,
): void {
  const runsOwn = code === undefined && command.length === 0 && isOfAppsDirectory(app);
  if (!sendCode || runsOwn) return;
  throw new UsageError(
    'Option "--send-code" requires the Dockerfile of mlcli init, and no entry point or command',
    { hint: code ? "Remove --send-code: the code of an entry point is always sent" : undefined },
  );
}

/** Runs a processing script on SageMaker, and waits for the end unless told not to. */
export async function processAction(context: Context, options: ProcessValues): Promise<void> {
  const program = await programOf(options.app, options, options.args);
  using shown = new JobProgress(context, options);
  const request = await jobRequest(context, options, "mlcli process");
  await process({ ...request, program }, context, shown);
}
