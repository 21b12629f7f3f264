import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { appName, outputFormat } from "../options/shared.ts";

const STATUS = options({
  "--app-name": {
    ...appName["--app-name"],
    description: "Show only servers and runs of app NAME",
    variable: undefined,
  },
  ...outputFormat,
});

export type StatusOptions = Values<typeof STATUS>;

export default command({
  options: STATUS,
  examples: [
    ["Show what is running and whether it is healthy", "mlcli local status"],
    ["Print JSON for a script", "mlcli local status --output json"],
  ],
  action: async (context, options) =>
    await (await import("./server_actions.ts")).statusAction(context, options),
});
