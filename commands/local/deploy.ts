import { START_SECONDS } from "../../runtime/contract/limits.ts";
import { type Command, command } from "../command.ts";
import { containerOptions } from "../options/container.ts";
import { pipOptions, serverProgramOptions } from "../options/program.ts";
import { options, type Values } from "../options/option.ts";
import { parseHost, parsePort, parseSeconds } from "../options/parsers.ts";
import { DEFAULT_PORT } from "../options/shared.ts";

const OPTIONS = options({
  ...containerOptions,
  "--port": {
    short: "-p",
    value: "port",
    description: "Port on this machine; 0 picks a free one.",
    default: DEFAULT_PORT,
    variable: "MLCLI_PORT",
    parse: parsePort,
  },
  "--timeout": {
    value: "seconds",
    description: "How long the server may take to start.",
    default: String(START_SECONDS),
    parse: parseSeconds,
  },
  ...serverProgramOptions,
  ...pipOptions,
  "--run": {
    value: "name",
    description: "Run whose model to serve; last is the newest that has one.",
    completion: "model-run",
  },
  "--foreground": {
    description: "Stay and show the server's log; Ctrl-C stops the server.",
  },
  "--watch": {
    description: "Stay, and serve each edit of the code and each new model without a pause.",
  },
  "--replace": {
    description: "Replace this app's server on the port when the new server answers.",
  },
  "--allow-host": {
    value: "name",
    description:
      "Another host name of the server, or of web pages that may call it. May be repeated.",
    repeatable: true,
    parse: parseHost,
  },
});

export type DeployDeclaration = typeof OPTIONS;

export type DeployOptions = Values<DeployDeclaration>;

export const deployCommand: Command = command({
  options: OPTIONS,
  examples: [
    ["Serve on a free port", "mlcli local deploy --port 0"],
    ["Serve what is being edited, and each new model", "mlcli local deploy --watch"],
    ["Serve the new code and the new model", "mlcli local deploy --replace"],
    [
      "Serve your own inference.py on one of AWS's images",
      "mlcli local deploy --image team/inference:2 --entry-point inference.py",
    ],
    ["Serve the model of an earlier run", "mlcli local deploy --run flats-2026-03-01-09-30-00-123"],
  ],
  action: async () => (await import("./deploy_action.ts")).deployAction,
});
