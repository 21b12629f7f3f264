/** The `local` group: everything that runs in containers on this machine. */

import type { Group } from "../command.ts";
import { dockerTag } from "../options/shared.ts";

/** `mlcli local` with its commands. */
export const localGroup: Group = {
  options: dockerTag,
  commands: {
    train: {
      summary: "Train the model locally",
      load: async () => (await import("./train.ts")).trainCommand,
    },
    deploy: {
      summary: "Serve the model on http://localhost:PORT",
      load: async () => (await import("./deploy.ts")).deployCommand,
    },
    process: {
      summary: "Run a processing script locally",
      load: async () => (await import("./process.ts")).processCommand,
    },
    transform: {
      summary: "Run a batch transform on local files",
      load: async () => (await import("./transform.ts")).transformCommand,
    },
    shell: {
      summary: "Open a shell or run a command in the app's container",
      load: async () => (await import("./shell.ts")).shellCommand,
    },
    invoke: {
      summary: "Send a request to the local server",
      load: async () => (await import("./invoke.ts")).invokeCommand,
    },
    stop: {
      aliases: ["rm"],
      summary: "Stop a local server",
      load: async () => (await import("./servers.ts")).stopCommand,
    },
    status: {
      aliases: ["ps"],
      summary: "Show the running servers and runs of all apps",
      load: async () => (await import("./servers.ts")).statusCommand,
    },
    "list-jobs": {
      aliases: ["ls", "runs"],
      summary: "List or compare the app's runs",
      load: async () => (await import("./list_jobs.ts")).listRunsCommand,
    },
    describe: {
      summary: "Show the full record of a run",
      load: async () => (await import("./list_jobs.ts")).describeRunCommand,
    },
    keep: {
      summary: "Protect the model of a run from automatic removal",
      load: async () => (await import("./keep.ts")).keepCommand,
    },
    logs: {
      summary: "Show the log of a server or a run",
      load: async () => (await import("./servers.ts")).logsCommand,
    },
    ui: {
      summary: "Serve a live web page of the app's runs and servers",
      load: async () => (await import("./ui.ts")).uiCommand,
    },
    report: {
      summary: "Write a report of the app's runs as an HTML file",
      load: async () => (await import("./ui.ts")).reportCommand,
    },
  },
};
