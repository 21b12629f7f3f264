import { initCommand } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { shell } from "../../runtime/local/shell.ts";
import { withChosenImage } from "../chosen_app.ts";
import type { AppCall } from "../command.ts";
import { programOptions } from "../options/program.ts";
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
  const { app, role = "train", command } = options;
  // A shell has no options for the program. The configuration file sets it.
  const program = read({ ...dockerTag, ...programOptions }, role === "serve" ? "deploy" : role);
  const request = role === "serve"
    ? {
      ...await containerRequest(
        context,
        { ...options, image: program.image },
        initCommand(app, app.name),
      ),
      program: OWN_PROGRAM,
    }
    : await programRequest(
      context,
      { ...program, ...options, app: withChosenImage(app, program), command: program.command },
      `mlcli local ${role}`,
    );
  requirePublishable(request);
  await shell({ ...request, role, command }, {
    ...context,
    err: new ProgressOutput(context.err, options).above(),
    waiting: waitingOn(context.err, options),
  });
}
