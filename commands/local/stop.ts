import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { progressOptions } from "../options/shared.ts";
import { serverOf, serverPort } from "../options/shared.ts";

const STOP = options({
  ...serverOf,
  ...serverPort,
  // No variable: what is removed has to be typed.
  "--port": { ...serverPort["--port"], variable: undefined },
  "-y, --yes": { description: "Stop the server even if its app is in another directory" },
  ...progressOptions,
});

export type StopOptions = Values<typeof STOP>;

export default command({
  options: STOP,
  examples: [
    ["Stop the server on port 8081", "mlcli local stop --port 8081"],
    ["Stop a server that was started in another directory", "mlcli local stop -p 8081 --yes"],
  ],
  action: async (context, options) =>
    await (await import("./stop_action.ts")).stopAction(context, options),
});
