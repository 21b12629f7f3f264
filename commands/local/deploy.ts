import { START_SECONDS } from "../../runtime/contract/limits.ts";
import type { Server } from "../../runtime/local/server/servers.ts";
import { appCommand } from "../command.ts";
import { containerOptions } from "../options/container.ts";
import { pipOptions, serverProgramOptions } from "../options/program.ts";
import { options } from "../options/option.ts";
import { parseHost, parsePort, parseTimeLimit } from "../options/parsers.ts";
import { DEFAULT_PORT } from "../options/shared.ts";

const OPTIONS = options({
  "-p, --port PORT": {
    description: "Port on this machine; with 0, mlcli selects a free port",
    default: DEFAULT_PORT,
    variable: "MLCLI_PORT",
    parse: parsePort,
  },
  "--timeout DURATION": {
    description: "Time limit for the server to start",
    default: `${START_SECONDS / 60}m`,
    parse: parseTimeLimit,
  },
  "--run RUN": {
    description: "Serve the model of this run; last means the newest run with a model",
    completion: "model-run",
  },
  "--foreground": {
    description: "Keep mlcli running and show the server's log; Ctrl-C stops the server",
  },
  "--watch": {
    description: "Keep mlcli running, and replace the server when the code or the model changes",
    excludes: ["--foreground", "--replace", "--strict", "--run"],
  },
  "--replace": {
    description: "Replace this app's server on the port once the new server is ready",
    excludes: ["--foreground"],
  },
  "--allow-host HOST...": {
    group: "Container",
    rare: true,
    description:
      "Also accept requests for this host name, and from web pages on this host (repeatable)",
    parse: parseHost,
  },
  ...containerOptions,
  ...serverProgramOptions,
  ...pipOptions,
});

export default appCommand({
  options: OPTIONS,
  usesEngine: true,
  section: "deploy",
  examples: [
    ["Serve on a free port", "mlcli local deploy --port 0"],
    ["Serve each edit of the code and each new model", "mlcli local deploy --watch"],
    ["Replace the running server", "mlcli local deploy --replace"],
    [
      "Serve your own inference.py in an AWS image",
      "mlcli local deploy --image team/inference:2 --entry-point inference.py",
    ],
    ["Serve the model of an earlier run", "mlcli local deploy --run flats-2026-03-01-09-30-00-123"],
  ],
  action: async (context, options) => {
    const { programRequest, requireReachable } = await import("./container_request.ts");
    const { runHost } = await import("./image_access.ts");
    const { messages, out } = context;
    const request = await programRequest(context, options, "mlcli local deploy");
    const job = { ...request, code: request.program.code };
    requireReachable(job);
    // Without `waiting`, whose line would be drawn over "Starting the server".
    const { pipNetwork } = runHost(context, options.app);
    const host = { ...context, pipNetwork };
    // Not `print`: while it waits for a slow reader, Deno hears no signal.
    const announce = ({ port }: Pick<Server, "port">): Promise<void> =>
      out.write(new TextEncoder().encode(`http://localhost:${port}\n`));
    if (options.watch) {
      const { serveWatched } = await import("../../runtime/local/server/watched.ts");
      await serveWatched(job, host, announce);
      return messages.note("Stopped by mlcli local stop");
    }
    const { serve, serveInForeground } = await import("../../runtime/local/server/serve.ts");
    if (options.foreground) return await serveInForeground(job, host, announce);
    const { replaceServer } = await import("../../runtime/local/server/replace.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const waiting = new WaitingProgress(context);
    const { server, pause } = options.replace
      ? await waiting.during(() => "Starting the new server", replaceServer(job, host))
      : {
        server: await waiting.during(() => "Starting the server", serve(job, host)),
        pause: undefined,
      };
    const { port } = server;
    try {
      await announce(server);
    } catch (error) {
      messages.warning(
        `The server is running on http://localhost:${port}`,
        `Stop it: mlcli local stop --port ${port}`,
      );
      throw error;
    }
    if (pause === undefined) return;
    messages.note(`Replaced the server; port ${port} did not respond for ${pause.toFixed(2)} s`);
  },
});
