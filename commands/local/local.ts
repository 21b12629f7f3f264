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
import { shellCommand } from "./shell.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { trainCommand } from "./train.ts";

/** `mlcli local` with its commands. */
export const localGroup: Group = {
  options: dockerTag,
  commands: {
    train: {
      summary: "Train on the test data.",
      load: () => trainCommand,
    },
    deploy: {
      summary: "Serve the trained model on http://localhost:PORT.",
      load: () => deployCommand,
    },
    process: {
      summary: "Run a processing script on the test data.",
      load: () => processCommand,
    },
    shell: {
      summary: "Open a shell, or run a command, in the container of train, process or serve.",
      load: () => shellCommand,
    },
    invoke: {
      summary: "Send a file or standard input to the server, and print its answer.",
      load: () => invokeCommand,
    },
    stop: {
      summary: "Stop a server.",
      load: () => stopCommand,
    },
    status: {
      summary: "Show the servers and runs on this machine, of all apps.",
      load: () => statusCommand,
    },
    "list-jobs": {
      summary: "List the runs of an app on this machine with their metrics, or compare two.",
      load: () => listRunsCommand,
    },
    logs: {
      summary: "Show the log of a server, even after it has ended.",
      load: () => logsCommand,
    },
  },
};
