import type { Context } from "../../runtime/context.ts";
import { shell } from "../../runtime/local/shell.ts";
import type { ConfigurableCall } from "../command.ts";
import { waitingOn } from "../render/progress/line.ts";
import { containerRequest } from "./container_request.ts";
import type { ShellDeclaration, ShellOptions } from "./shell.ts";

/** Opens a shell, or runs a command, where the app's code runs. */
export async function shellAction(
  context: Context,
  options: ShellOptions,
  call: ConfigurableCall<ShellDeclaration>,
): Promise<void> {
  await shell({
    ...await containerRequest(context, options, call),
    role: options.role ?? "train",
    command: options.command,
  }, { ...context, waiting: waitingOn(context.err) });
}
