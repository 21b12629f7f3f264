import type { Context } from "../../runtime/context.ts";
import { initCommand } from "../../runtime/app/typed_path.ts";
import { shell } from "../../runtime/local/shell.ts";
import type { ConfigurableCall } from "../command.ts";
import { ProgressOutput, waitingOn } from "../render/progress/output.ts";
import { programOf } from "../program.ts";
import { containerRequest, publishedPorts } from "./container_request.ts";
import { imageAccess } from "./image_access.ts";
import type { ShellDeclaration, ShellOptions } from "./shell.ts";

/** Of the options of a job, none is typed. */
const NOTHING = {
  ...{ image: undefined, entryPoint: undefined, sourceDir: undefined, launcher: undefined },
  command: [],
};

const OWN_PROGRAM = { code: undefined, launcher: undefined, command: [], arguments: [] };

/** Opens a shell, or runs a command, where the app's code runs. */
export async function shellAction(
  context: Context,
  options: ShellOptions,
  call: ConfigurableCall<ShellDeclaration>,
): Promise<void> {
  const request = await containerRequest(context, options, call);
  const ports = publishedPorts("mlcli local shell", options, request);
  const role = options.role ?? "train";
  const { app, program } = role === "serve"
    ? { app: request.app, program: OWN_PROGRAM }
    : await programOf(
      request.app,
      role,
      { ...NOTHING, dockerTag: options.dockerTag },
      [],
      context,
    );
  const command = role === "serve" ? initCommand(app, app.name) : `mlcli local ${role}`;
  const images = imageAccess(context, { app, isImageTyped: false, command });
  await shell({ ...request, app, images, role, program, ports, command: options.command }, {
    ...context,
    err: new ProgressOutput(context.err, options).above(),
    waiting: waitingOn(context.err, options),
  });
}
