/**
 * The `local` group: everything that runs in containers on this machine.
 *
 * @module
 */

import type { Group } from "../command.ts";
import { dockerTag } from "../options/app.ts";

/** `mlcli local` with its commands. */
export const localGroup: Group = {
  options: dockerTag,
  commands: {
    train: {
      summary: "Run the training code on the test data.",
      load: async () => (await import("./train.ts")).trainCommand,
    },
    deploy: {
      summary: "Serve the trained model on http://localhost:PORT, until local stop.",
      load: async () => (await import("./deploy.ts")).deployCommand,
    },
    process: {
      summary: "Run a processing script on the test data.",
      load: async () => (await import("./process.ts")).processCommand,
    },
    invoke: {
      summary:
        "Send a file, or standard input, to the server's /invocations, and print its answer.",
      load: async () => (await import("./invoke.ts")).invokeCommand,
    },
    stop: {
      summary: "Stop and remove the server on a port.",
      load: async () => (await import("./stop.ts")).stopCommand,
    },
    status: {
      summary: "Show the servers and runs of mlcli on this machine, of all apps.",
      load: async () => (await import("./status.ts")).statusCommand,
    },
    logs: {
      summary: "Show the log of the server on a port, also when it has ended.",
      load: async () => (await import("./logs.ts")).logsCommand,
    },
  },
};
