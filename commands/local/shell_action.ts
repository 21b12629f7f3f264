import { initCommand } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { shell } from "../../runtime/local/shell.ts";
import type { ShellJob } from "../../runtime/local/jobs.ts";
import { withChosenImage } from "../chosen_app.ts";
import type { AppCall } from "../command.ts";
import { processProgramOptions, programOptions, serverProgramOptions } from "../options/program.ts";
import { dockerTag } from "../options/shared.ts";
import { ProgressOutput, waitingOn } from "../render/progress/output.ts";
import { containerRequest, programRequest, requirePublishable } from "./container_request.ts";
import type { ShellValues } from "./shell.ts";

const OWN_PROGRAM = { code: undefined, launcher: undefined, command: [], arguments: [] };

/** Opens a shell, or runs a command, where the app's code runs. */
export async function shellAction(
  context: Context,
  options: ShellValues,
  { read }: AppCall,
): Promise<void> {
  const { role = "train" } = options;
  const request = await requestOf(context, options, read);
  const { command } = options;
  requirePublishable(request);
  await shell({ ...request, role, command }, {
    ...context,
    err: new ProgressOutput(context.err, options).above(),
    waiting: waitingOn(context.err, options),
  });
}

/** Returns the request with the program of the configuration file: a shell has no options for it. */
async function requestOf(
  context: Context,
  options: ShellValues,
  read: AppCall["read"],
): Promise<Omit<ShellJob, "role">> {
  const { app, role = "train" } = options;
  if (role === "serve") {
    // No object of the file sets the image of a shell for the server.
    const { image } = read({ ...dockerTag, ...serverProgramOptions }, undefined);
    const request = { ...options, image };
    const command = initCommand(app, app.name);
    return { ...await containerRequest(context, request, command), program: OWN_PROGRAM };
  }
  const declared = role === "train" ? programOptions : processProgramOptions;
  const program = read({ ...dockerTag, ...declared }, role);
  const request = { ...options, ...program, app: withChosenImage(app, program) };
  return await programRequest(context, request, `mlcli local ${role}`);
}
