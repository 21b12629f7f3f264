import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { progressOptions, serverOf, serverPort } from "../options/shared.ts";

const OPTIONS = options({
  ...serverOf,
  ...serverPort,
  // No variable: the user must type which server to stop.
  "--port": { ...serverPort["--port"], variable: undefined },
  "-y, --yes": { description: "Stop the server even if its app is in another directory" },
  ...progressOptions,
});

export default command({
  options: OPTIONS,
  examples: [
    ["Stop the server on port 8081", "mlcli local stop --port 8081"],
    ["Stop a server that was started in another directory", "mlcli local stop -p 8081 --yes"],
  ],
  action: async (context, options) => {
    const { serversToStop, stopServers } = await import("../../runtime/local/server/stop.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const servers = await serversToStop(options, context);
    const waiting = new WaitingProgress(context);
    const work = stopServers(servers, context);
    const { name } = await waiting.during(() => "Stopping the server", work);
    context.out.print(`${name}\n`);
  },
});
