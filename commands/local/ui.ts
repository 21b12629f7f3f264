import { appCommand, type AppValues } from "../command.ts";
import { options } from "../options/option.ts";
import { parseHost, parsePort } from "../options/parsers.ts";
import { appName } from "../options/shared.ts";

const UI = options({
  ...appName,
  "-p, --port PORT": {
    description: "Port on this machine; with 0, mlcli selects a free port",
    default: "8090",
    parse: parsePort,
  },
  "--open": { description: "Open the page in your browser" },
  "--allow-host HOST...": {
    description: "Also accept requests for this host name (repeatable)",
    parse: parseHost,
  },
});

export type UiValues = AppValues<typeof UI>;

export default appCommand({
  details: "You can open the page only on this machine, with the token in the printed " +
    "address. The page shows runs and can send requests to servers, but cannot start " +
    "or delete runs or servers. To stop the page, press Ctrl-C.",
  options: UI,
  examples: [
    ["Open the page in your browser", "mlcli local ui --open"],
    ["Serve the page on a free port", "mlcli local ui --port 0"],
  ],
  action: async (context, options) =>
    await (await import("./ui_action.ts")).uiAction(context, options),
});
