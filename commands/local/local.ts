/** The `local` group: everything that runs in containers on this machine. */

import type { Group } from "../command.ts";
import { dockerTag } from "../options/shared.ts";

/** `mlcli local` with its commands. */
export const localGroup: Group = {
  options: dockerTag,
  commands: {
    train: {
      summary: "Train on the test data.",
      load: async () => (await import("./train.ts")).trainCommand,
    },
    deploy: {
      summary: "Serve the trained model on http://localhost:PORT.",
      load: async () => (await import("./deploy.ts")).deployCommand,
    },
    process: {
      summary: "Run a processing script on the test data.",
      load: async () => (await import("./process.ts")).processCommand,
    },
    transform: {
      summary:
        "Score files in batch: send their records to the model's server, and keep the answers.",
      load: async () => (await import("./transform.ts")).transformCommand,
    },
    shell: {
      summary: "Open a shell, or run a command, in the container of train, process or serve.",
      load: async () => (await import("./shell.ts")).shellCommand,
    },
    invoke: {
      summary: "Send a file or standard input to the server, and print its answer.",
      load: async () => (await import("./invoke.ts")).invokeCommand,
    },
    stop: {
      aliases: ["rm"],
      summary: "Stop a server.",
      load: async () => (await import("./servers.ts")).stopCommand,
    },
    status: {
      aliases: ["ps"],
      summary: "Show the servers and runs on this machine, of all apps.",
      load: async () => (await import("./servers.ts")).statusCommand,
    },
    "list-jobs": {
      aliases: ["ls", "runs"],
      summary: "List the app's runs on this machine with their metrics, or compare some.",
      load: async () => (await import("./list_jobs.ts")).listRunsCommand,
    },
    keep: {
      summary: "Keep the model of a run until it is released.",
      load: async () => (await import("./keep.ts")).keepCommand,
    },
    logs: {
      summary: "Show the log of a server, also of one that has ended, or of a run.",
      load: async () => (await import("./servers.ts")).logsCommand,
    },
    ui: {
      summary: "Serve a page that shows the runs and servers of an app, live.",
      load: async () => (await import("./ui.ts")).uiCommand,
    },
    report: {
      summary: "Write that page as one file, with the runs in it.",
      load: async () => (await import("./ui.ts")).reportCommand,
    },
  },
};
