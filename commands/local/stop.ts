/**
 * `mlcli local stop`
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import type { AnyCommand } from "../command.ts";
import { parsePort } from "../options.ts";
import { withServerPort } from "./container_options.ts";

interface Options {
  readonly appName?: string;
  readonly port: string;
}

/** Stops a server that `local deploy` started. */
export function stopCommand(context: Context): AnyCommand {
  const command: AnyCommand = new Command()
    .description("Stop and remove the server on a port.")
    .option("-a, --app-name <name:string:app>", "Only if it serves this app.");
  return withServerPort(command)
    .example("Stop the server on port 8081", "mlcli local stop --port 8081")
    .action(async (options: Options) => {
      const port = parsePort(options.port);
      const { stopServer } = await import("../../runtime/local/server/stop.ts");
      const { ProgressLine } = await import("../progress.ts");
      using progress = new ProgressLine(context.err);
      const server = await progress.during(
        "Stopping the server",
        stopServer({ port, appName: options.appName }, context),
      );
      context.out.print(`${server.name}\n`);
    });
}
