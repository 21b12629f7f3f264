import type { ContainerStatus } from "../../runtime/local/server/status.ts";
import { durationText } from "../../runtime/quantities.ts";
import { inOneLine } from "../../runtime/text.ts";
import { localTimestamp } from "../../runtime/time.ts";
import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { appName, outputFormat } from "../options/shared.ts";

const OPTIONS = options({
  "--app-name": {
    ...appName["--app-name"],
    description: "Show only servers and runs of app NAME",
    variable: undefined,
  },
  ...outputFormat,
});

export default command({
  options: OPTIONS,
  examples: [
    ["Show what is running and whether it is healthy", "mlcli local status"],
    ["Print JSON for a script", "mlcli local status --output json"],
  ],
  action: async (context, options) => {
    const { jsonStatus } = await import("../../runtime/local/server/json.ts");
    const { containerStatuses } = await import("../../runtime/local/server/status.ts");
    const { green, red, yellow } = await import("../render/format.ts");
    const { printList } = await import("../render/list.ts");
    const { staleText } = await import("./stale_text.ts");
    const { messages, clock } = context;
    const { appName, output } = options;
    const statuses = await containerStatuses(appName, context);
    const now = clock.date();
    const whose = appName === undefined ? "" : ` of ${inOneLine(appName)}`;
    const paint = (health: string): string => {
      if (health === "healthy" || health === "running") return green(health);
      return health.startsWith("exited") || health === "dead" ? red(health) : yellow(health);
    };
    await printList<ContainerStatus>(
      {
        pages: [statuses],
        columns: [
          { heading: "APP", field: ({ appName }) => appName, most: 20 },
          { heading: "ROLE", field: ({ role }) => role },
          { heading: "PORT", field: ({ port }) => port === undefined ? "-" : String(port) },
          { heading: "HEALTH", field: healthText, paint },
          {
            heading: "AGE",
            field: ({ created }) => durationText(now.getTime() - created.getTime()),
            plain: ({ created }) => localTimestamp(created, "T"),
          },
          { heading: "IMAGE", field: ({ image }) => image, rank: 1, most: 8 },
          {
            heading: "MODEL",
            field: ({ appName, server }) => server?.modelRun?.replace(`${appName}-`, "") ?? "-",
            plain: ({ server }) => server?.modelRun ?? "-",
            rank: 1,
            most: 8,
          },
        ],
        json: jsonStatus,
        empty: `No active servers or runs${whose}. Start a server: mlcli local deploy`,
      },
      output,
      context,
    );
    if (output === "json") return;
    for (const { appName, port, stale } of statuses) {
      if (stale === undefined) continue;
      const words = staleText(stale, port!, now);
      messages.note(`The server of ${appName} on port ${port} is stale: ${words}`);
    }
  },
});

/** Returns `healthy`, `stale`, `HTTP 503`, `no response`, `running`, `exited (137)`, ... */
function healthText({ health, stale }: ContainerStatus): string {
  switch (health.state) {
    case "healthy":
      return stale === undefined ? "healthy" : "stale";
    case "running":
      return "running";
    case "unhealthy":
      return health.answer.status === undefined ? "no response" : `HTTP ${health.answer.status}`;
    case "other":
      return health.exitStatus === undefined
        ? health.name
        : `${health.name} (${health.exitStatus})`;
  }
}
