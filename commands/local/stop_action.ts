import type { Context } from "../../runtime/context.ts";
import { serversToStop, stopServers } from "../../runtime/local/server/stop.ts";
import { ProgressOutput } from "../render/progress/output.ts";
import type { StopOptions } from "./stop.ts";

/** Stops a server and prints its name. */
export async function stopAction(context: Context, options: StopOptions): Promise<void> {
  const servers = await serversToStop(options, context);
  using progress = new ProgressOutput(context.err, options);
  const server = await progress.during(
    () => "Stopping the server",
    stopServers(servers, context),
  );
  context.out.print(`${server.name}\n`);
}
