import { command } from "../command.ts";
import { options } from "../options/option.ts";
import { parseSince } from "../options/parsers.ts";
import { jobOrEndpoint, progressOptions, tailOption } from "../options/shared.ts";

const OPTIONS = options({
  ...jobOrEndpoint,
  "-f, --follow": { description: "Follow the log until the job ends or the endpoint is deleted" },
  ...tailOption,
  "--since TIME": {
    description: "Show only lines since TIME: 10m, 2h, 2026-03-01T09:30Z, 2026-03-01 (local time)",
    parse: parseSince,
  },
  ...progressOptions,
});

export default command({
  usesApps: true,
  details: "mlcli prints the log to standard output. If there are several instances, each line " +
    "begins with the name of the instance. For an endpoint, this name is VARIANT/INSTANCE. After " +
    "Ctrl-C, the job keeps running.",
  options: OPTIONS,
  examples: [
    [
      "Show the last 20 lines and follow the log",
      "mlcli logs flats-2026-03-01 --tail 20 --follow",
    ],
    ["Show what an endpoint wrote in the last hour", "mlcli logs shop --since 1h"],
  ],
  action: async (context, options) => {
    const { showLog } = await import("../../runtime/cloud/by_name/show_log.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    await showLog(options, { ...context, waiting: new WaitingProgress(context) });
  },
});
