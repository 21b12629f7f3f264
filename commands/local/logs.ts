/**
 * `mlcli local logs`
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import type { AnyCommand } from "../command.ts";
import { parsePort, parseTail } from "../options.ts";
import { withServerPort } from "./container_options.ts";

interface Options {
  readonly appName?: string;
  readonly port: string;
  readonly follow?: boolean;
  readonly tail: string;
}

/** Shows a server's log. */
export function logsCommand(context: Context): AnyCommand {
  const command: AnyCommand = new Command()
    .description("Show the log of the server on a port, also when it has ended.")
    .option("-a, --app-name <name:string:app>", "Only if it serves this app.");
  return withServerPort(command)
    .option("-f, --follow", "Stay, and show what the server writes until it ends.")
    .option("--tail <lines:string>", "Number of lines from the end, or all.", { default: "all" })
    .example("Show the last 20 lines, and what is coming", "mlcli local logs --tail 20 --follow")
    .action(async (options: Options) => {
      const request = {
        port: parsePort(options.port),
        appName: options.appName,
        tail: parseTail(options.tail),
        follow: options.follow ?? false,
      };
      const { showLogs } = await import("../../runtime/local/server/logs.ts");
      await showLogs(request, context);
    });
}
