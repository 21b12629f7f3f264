/**
 * What `mlcli local stop` does.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import { stopServer } from "../../runtime/local/server/stop.ts";
import { ProgressLine } from "../render/progress/line.ts";
import type { StopOptions } from "./stop.ts";

/** Stops a server and prints its name. */
export async function stopAction(context: Context, options: StopOptions): Promise<void> {
  using progress = new ProgressLine(context.err);
  const server = await progress.during(
    "Stopping the server",
    stopServer(options, context),
  );
  context.out.print(`${server.name}\n`);
}
