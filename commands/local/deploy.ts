/**
 * `mlcli local deploy`
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Server } from "../../runtime/local/server/servers.ts";
import type { Context } from "../../runtime/context.ts";
import type { AnyCommand } from "../command.ts";
import { DEFAULT_PORT, parseHost, parsePort, parseSeconds } from "../options.ts";
import { withContainerOptions } from "./container_options.ts";
import type { ContainerOptions } from "./local_job.ts";

interface Options extends ContainerOptions {
  readonly port: string;
  readonly timeout: string;
  readonly foreground?: boolean;
  readonly allowHost?: readonly string[];
}

/** Starts a server of the trained model. */
export function deployCommand(context: Context): AnyCommand {
  const command: AnyCommand = new Command()
    .description("Serve the trained model on http://localhost:PORT, until local stop.");
  return withContainerOptions(command)
    .option("-p, --port <port:string>", "Port on this machine; 0 picks a free one.", {
      default: DEFAULT_PORT,
    })
    .option("--timeout <seconds:string>", "How long the server may take to be ready.", {
      default: "240",
    })
    .option("--foreground", "Stay, show the server's log, and stop the server at Ctrl-C.")
    .option(
      "--allow-host <name:string>",
      "Another host name of the server, or one whose web pages may call it. May be repeated.",
      { collect: true },
    )
    .example("Serve on a free port", "mlcli local deploy --port 0")
    .action(async (options: Options) => {
      const { localJob } = await import("./local_job.ts");
      const request = {
        port: parsePort(options.port),
        timeout: parseSeconds("--timeout", options.timeout),
        allowedHosts: (options.allowHost ?? []).map(parseHost),
        ...await localJob(context, options),
      };
      // Not `print`, which waits deaf to signals for a reader that has stopped reading.
      const announce = ({ port }: Server): Promise<void> =>
        context.out.write(new TextEncoder().encode(`http://localhost:${port}\n`));
      if (options.foreground) {
        const { serveInForeground } = await import("../../runtime/local/server/foreground.ts");
        await serveInForeground(request, context, announce);
      } else {
        const { serve } = await import("../../runtime/local/server/serve.ts");
        const { ProgressLine } = await import("../progress.ts");
        using progress = new ProgressLine(context.err);
        await announce(await progress.during("Starting the server", serve(request, context)));
      }
    });
}
