/**
 * The command tree.
 *
 * @module
 */

import type { Context } from "../runtime/context.ts";
import { VERSION, versionText } from "../runtime/version.ts";
import { buildCommand } from "./build.ts";
import { type AnyCommand, groupCommand } from "./command.ts";
import { NO_COLOUR } from "./command_line.ts";
import { completionsCommand, withCompletions } from "./completions.ts";
import { deleteEndpointCommand } from "./delete_endpoint.ts";
import { doctorCommand } from "./doctor.ts";
import { helpText } from "./help.ts";
import { initCommand } from "./init.ts";
import { listEndpointsCommand } from "./list_endpoints.ts";
import { localCommand } from "./local/local.ts";

/** `mlcli` with all its commands. */
export function rootCommand(context: Context): AnyCommand {
  const root = groupCommand(context)
    .name("mlcli")
    .version(VERSION)
    .description(
      "Train and serve machine-learning models in local containers as Amazon SageMaker does, " +
        "and manage its endpoints.",
    )
    .throwErrors()
    .noExit()
    .help((command: AnyCommand) => helpText(command, context.out))
    .helpOption("-h, --help", "Show this help.", {
      // Cliffy's own goes to the console, past the context.
      action(this: AnyCommand) {
        context.out.print(this.getHelp());
      },
    })
    .versionOption("-V, --version", "Show the version.", {
      standalone: true,
      action: () => context.out.print(`${versionText()}\n`),
    })
    // For the help and the completions: main.ts takes it from the command line.
    .globalOption(NO_COLOUR, "Use no colour, as with NO_COLOR in the environment.")
    // Last: what follows a command in Cliffy's chain is that command's.
    .command("init", initCommand(context))
    .command("build", buildCommand(context))
    .command("local", localCommand(context))
    .command("doctor", doctorCommand(context))
    .command("list-endpoints", listEndpointsCommand(context))
    .command("delete-endpoint", deleteEndpointCommand(context))
    .command("completions", completionsCommand(context))
    .reset();
  return withCompletions(root, context);
}
