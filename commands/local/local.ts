/** The `local` group: everything that runs in containers on this machine. */

import type { Group } from "../command.ts";
import { dockerTag } from "../options/shared.ts";

/** `mlcli local` with its commands. */
const localGroup: Group = {
  options: dockerTag,
  commands: {
    train: { summary: "Train the model locally", load: () => import("./train.ts") },
    deploy: {
      summary: "Serve the model on http://localhost:PORT",
      load: () => import("./deploy.ts"),
    },
    process: { summary: "Run a processing script locally", load: () => import("./process.ts") },
    transform: {
      summary: "Run a batch transform on local files",
      load: () => import("./transform.ts"),
    },
    shell: {
      summary: "Open a shell or run a command in the app's container",
      load: () => import("./shell.ts"),
    },
    invoke: { summary: "Send a request to the local server", load: () => import("./invoke.ts") },
    stop: { aliases: ["rm"], summary: "Stop a local server", load: () => import("./stop.ts") },
    status: {
      aliases: ["ps"],
      summary: "Show the running servers and runs of all apps",
      load: () => import("./status.ts"),
    },
    "list-jobs": {
      aliases: ["ls", "runs"],
      summary: "List or compare the app's runs",
      load: () => import("./list_jobs.ts"),
    },
    describe: { summary: "Show the full record of a run", load: () => import("./describe.ts") },
    keep: {
      summary: "Protect the model of a run from automatic removal",
      load: () => import("./keep.ts"),
    },
    logs: { summary: "Show the log of a server or a run", load: () => import("./logs.ts") },
    ui: {
      summary: "Serve a live web page of the app's runs and servers",
      load: () => import("./ui.ts"),
    },
    report: {
      summary: "Write a report of the app's runs as an HTML file",
      load: () => import("./report.ts"),
    },
  },
};

export default localGroup;
