import type { Context } from "../../runtime/context.ts";
import { serve, serveInForeground } from "../../runtime/local/server/serve.ts";
import { replaceServer } from "../../runtime/local/server/replace.ts";
import type { Server } from "../../runtime/local/server/servers.ts";
import { tell, warningText } from "../../runtime/messages.ts";
import { ProgressOutput } from "../render/progress/output.ts";
import { programRequest, requireReachable } from "./container_request.ts";
import { runHost } from "./image_access.ts";
import type { DeployValues } from "./deploy.ts";

/** Starts a server and prints its address. */
export async function deployAction(context: Context, options: DeployValues): Promise<void> {
  const request = await programRequest(context, options, "mlcli local deploy");
  const job = { ...request, code: request.program.code };
  requireReachable(job);
  // Not `print`: while it waits for a slow reader, Deno hears no signal.
  const announce = ({ port }: Pick<Server, "port">): Promise<void> =>
    context.out.write(new TextEncoder().encode(`http://localhost:${port}\n`));
  const { pipNetwork, err } = runHost(context, options.app, options);
  if (options.watch) {
    const { watchDeploy } = await import("./watch.ts");
    return await watchDeploy(job, { ...context, err, pipNetwork }, announce);
  }
  if (options.foreground) {
    return await serveInForeground(job, { ...context, err, pipNetwork }, announce);
  }
  const announceOrWarn = async (server: Pick<Server, "port">): Promise<void> => {
    try {
      await announce(server);
    } catch (error) {
      tell(
        context.err,
        warningText(
          `The server is running on http://localhost:${server.port}`,
          `Stop it: mlcli local stop --port ${server.port}`,
        ),
      );
      throw error;
    }
  };
  using progress = new ProgressOutput(context.err, options);
  const host = { ...context, pipNetwork, err: progress.above() };
  if (!options.replace) {
    const starting = progress.during(() => "Starting the server", serve(job, host));
    return await announceOrWarn(await starting);
  }
  const replacing = replaceServer(job, host);
  const { server, pause } = await progress.during(() => "Starting the new server", replacing);
  await announceOrWarn(server);
  if (pause !== undefined) {
    progress.note(
      `Replaced the server; port ${server.port} did not respond for ${pause.toFixed(2)} s`,
    );
  }
}
