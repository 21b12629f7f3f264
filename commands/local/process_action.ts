import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { UsageError } from "../../runtime/errors.ts";
import { process } from "../../runtime/local/process.ts";
import type { ConfigurableCall } from "../command.ts";
import { waitingOn } from "../render/progress/line.ts";
import { containerRequest } from "./container_request.ts";
import type { ProcessDeclaration, ProcessOptions } from "./process.ts";

/** Runs a processing script on the app's test data. */
export async function processAction(
  context: Context,
  options: ProcessOptions,
  call: ConfigurableCall<ProcessDeclaration>,
): Promise<void> {
  if (options.file !== undefined && options.entrypoint.length > 0) {
    throw new UsageError('"--file" and "--entrypoint" name two programs to run.', {
      hint:
        "--file is a script for the image's own entry point. To run one with another program: " +
        "--entrypoint python3 -- /opt/ml/code/SCRIPT",
    });
  }
  await process({
    ...await containerRequest(context, options, call),
    interactive: options.interactive,
    grace: options.grace,
    copyInputs: options.copyInputs,
    file: options.file,
    entrypoint: options.entrypoint,
    arguments: options.args,
    input: options.input === undefined ? undefined : absolutePath(context.cwd, options.input),
  }, { ...context, waiting: waitingOn(context.err) });
}
