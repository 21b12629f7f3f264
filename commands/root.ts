/**
 * The command tree.
 *
 * @module
 */

import type { Group } from "./command.ts";
import { noColour } from "./options/standard.ts";

/** `mlcli` with all its commands. */
export const root: Group = {
  details:
    "Train and serve machine-learning models in local containers as Amazon SageMaker does, " +
    "and manage its endpoints.",
  options: noColour,
  commands: {
    init: {
      summary:
        "Make a new app in this directory: a working example, its Dockerfile and its test data.",
      load: async () => (await import("./init.ts")).initCommand,
    },
    build: {
      summary: "Build the app's image from its Dockerfile.",
      load: async () => (await import("./build.ts")).buildCommand,
    },
    local: {
      summary: "Train, serve and process in containers on this machine, as the platform does.",
      load: async () => (await import("./local/local.ts")).localGroup,
    },
    doctor: {
      summary: "Check what mlcli needs: the Docker Engine, the app, its image, the port.",
      load: async () => (await import("./doctor.ts")).doctorCommand,
    },
    "upload-data": {
      summary: "Send files and directories to S3, for jobs to read.",
      load: async () => (await import("./cloud/upload_data.ts")).uploadDataCommand,
    },
    "download-model": {
      summary: "Put the model of a training job into the app, or into a directory.",
      load: async () => (await import("./cloud/download_model.ts")).downloadModelCommand,
    },
    "list-jobs": {
      summary: "List the training and processing jobs of the account and region, newest first.",
      load: async () => (await import("./cloud/list_jobs.ts")).listJobsCommand,
    },
    describe: {
      summary: "Show what a job on SageMaker is, how far it is, how it ended.",
      load: async () => (await import("./cloud/describe.ts")).describeCommand,
    },
    logs: {
      summary: "Show what a job on SageMaker writes.",
      load: async () => (await import("./cloud/logs.ts")).logsCommand,
    },
    wait: {
      summary: "Wait until a job on SageMaker has ended, and print its result.",
      load: async () => (await import("./cloud/wait.ts")).waitCommand,
    },
    "stop-job": {
      summary: "Stop a job on SageMaker.",
      load: async () => (await import("./cloud/stop_job.ts")).stopJobCommand,
    },
    "list-endpoints": {
      summary: "List the inference endpoints of the account and region, newest first.",
      load: async () => (await import("./cloud/list_endpoints.ts")).listEndpointsCommand,
    },
    "delete-endpoint": {
      summary: "Delete an inference endpoint.",
      load: async () => (await import("./cloud/delete_endpoint.ts")).deleteEndpointCommand,
    },
    completions: {
      summary: "Print a script that makes a shell complete mlcli's command lines.",
      load: async () => (await import("./completions/completions.ts")).completionsGroup,
    },
  },
};
