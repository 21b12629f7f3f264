/**
 * The `local` group: everything that runs in containers on this machine.
 *
 * @module
 */

import type { Group } from "../command.ts";
import { dockerTag } from "../options/app.ts";
import { deployCommand } from "./deploy.ts";
import { invokeCommand } from "./invoke.ts";
import { listRunsCommand } from "./list_jobs.ts";
import { logsCommand } from "./logs.ts";
import { processCommand } from "./process.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { trainCommand } from "./train.ts";

/** `mlcli local` with its commands. */
export const localGroup: Group = {
  options: dockerTag,
  commands: {
    train: {
      summary: "Run the training code on the test data.",
      load: () => trainCommand,
    },
    deploy: {
      summary: "Serve the trained model on http://localhost:PORT, until local stop.",
      load: () => deployCommand,
    },
    process: {
      summary: "Run a processing script on the test data.",
      load: () => processCommand,
    },
    invoke: {
      summary:
        "Send a file, or standard input, to the server's /invocations, and print its answer.",
      load: () => invokeCommand,
    },
    stop: {
      summary: "Stop and remove the server on a port.",
      load: () => stopCommand,
    },
    status: {
      summary: "Show the servers and runs of mlcli on this machine, of all apps.",
      load: () => statusCommand,
    },
    "list-jobs": {
      summary: "List the runs of an app on this machine with their metrics, or compare two.",
      load: () => listRunsCommand,
    },
    logs: {
      summary: "Show the log of the server on a port, also when it has ended.",
      load: () => logsCommand,
    },
  },
};
