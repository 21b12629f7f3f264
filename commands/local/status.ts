/**
 * `mlcli local status`
 *
 * @module
 */

import { Command, EnumType } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import type { AnyCommand } from "../command.ts";
import type { StatusOptions } from "./status_action.ts";

/** Shows the servers and runs of mlcli. */
export function statusCommand(context: Context): AnyCommand {
  return new Command()
    .description("Show the servers and runs of mlcli on this machine, of all apps.")
    .type("format", new EnumType(["text", "json"]))
    .option("-a, --app-name <name:string:app>", "Only those of this app.")
    .option("--output <format:format>", "Output format, text or json.", { default: "text" })
    .example("See what is running, and whether it is healthy", "mlcli local status")
    .example("The same for another program", "mlcli local status --output json")
    .action(async (options: StatusOptions) => {
      const { showStatus } = await import("./status_action.ts");
      await showStatus(context, options);
    });
}
