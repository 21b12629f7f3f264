/**
 * The command tree.
 *
 * @module
 */

import type { Group } from "./command.ts";
import { earlyTag, everywhere } from "./options/standard.ts";

/** Where a command does its work: what runs on SageMaker is to be paid for. */
const HERE = "On this machine";
const THERE = "On SageMaker (costs money)";

/** From nothing to a server. */
const START = "mlcli init demo && mlcli build && mlcli local train && mlcli local deploy";

/** `mlcli` with all its commands. */
export const root: Group = {
  details:
    "Train and serve machine-learning models in local containers as Amazon SageMaker does, " +
    "and there, too.",
  options: everywhere,
  examples: [
    ["Make an app, and train and serve it here", START],
    ["Ask the server", "echo 72,3,15 | mlcli local invoke"],
    ["See what stands in the way", "mlcli doctor"],
  ],
  more:
    "mlcli COMMAND --help says more about each command. The documentation is docs/ in mlcli's " +
    "source code; the README that comes with a release leads to it.",
  early: earlyTag,
  commands: {
    init: {
      heading: HERE,
      summary:
        "Make a new app in this directory: a working example, its Dockerfile and its test data.",
      load: async () => (await import("./init.ts")).initCommand,
    },
    build: {
      heading: HERE,
      summary: "Build the app's image from its Dockerfile.",
      load: async () => (await import("./build.ts")).buildCommand,
    },
    local: {
      heading: HERE,
      summary: "Train, serve and process in containers on this machine, as the platform does.",
      load: async () => (await import("./local/local.ts")).localGroup,
    },
    doctor: {
      heading: HERE,
      summary: "Check what mlcli needs: the Docker Engine, the app, its image, the port.",
      load: async () => (await import("./doctor.ts")).doctorCommand,
    },
    completions: {
      heading: HERE,
      summary: "Print a script that makes a shell complete mlcli's command lines.",
      load: async () => (await import("./completions/completions.ts")).completionsGroup,
    },
    help: {
      heading: HERE,
      summary: "Show the help of a command, as COMMAND --help does.",
      load: async () => (await import("./help.ts")).helpCommand,
    },
    push: {
      heading: THERE,
      summary: "Push the app's image to the account's registry, as the platform takes it.",
      load: async () => (await import("./cloud/push.ts")).pushCommand,
    },
    "upload-data": {
      heading: THERE,
      summary: "Send files and directories to S3, for jobs to read.",
      load: async () => (await import("./cloud/upload_data.ts")).uploadDataCommand,
    },
    train: {
      heading: THERE,
      summary: "Run the training code on data in S3, and wait for the model.",
      load: async () => (await import("./cloud/train.ts")).trainCommand,
    },
    process: {
      heading: THERE,
      summary: "Run a processing script on data in S3, and wait for its end.",
      load: async () => (await import("./cloud/process.ts")).processCommand,
    },
    deploy: {
      heading: THERE,
      summary: "Serve a model on an inference endpoint, new or updated.",
      load: async () => (await import("./cloud/deploy.ts")).deployCommand,
    },
    "list-jobs": {
      heading: THERE,
      summary: "List the training and processing jobs of the account and region, newest first.",
      load: async () => (await import("./cloud/list_jobs.ts")).listJobsCommand,
    },
    describe: {
      heading: THERE,
      summary: "Show what a job or an endpoint on SageMaker is, how far it is, how it ended.",
      load: async () => (await import("./cloud/describe.ts")).describeCommand,
    },
    logs: {
      heading: THERE,
      summary: "Show what a job or an endpoint on SageMaker writes.",
      load: async () => (await import("./cloud/logs.ts")).logsCommand,
    },
    wait: {
      heading: THERE,
      summary: "Wait until a job has ended, or an endpoint has settled, and print its result.",
      load: async () => (await import("./cloud/wait.ts")).waitCommand,
    },
    "stop-job": {
      heading: THERE,
      summary: "Stop a job on SageMaker.",
      load: async () => (await import("./cloud/stop_job.ts")).stopJobCommand,
    },
    "download-model": {
      heading: THERE,
      summary: "Put the model of a training job into the app, or into a directory.",
      load: async () => (await import("./cloud/download_model.ts")).downloadModelCommand,
    },
    "list-endpoints": {
      heading: THERE,
      summary: "List the inference endpoints of the account and region, newest first.",
      load: async () => (await import("./cloud/list_endpoints.ts")).listEndpointsCommand,
    },
    "invoke-endpoint": {
      heading: THERE,
      summary: "Send a request to an endpoint's model and print the answer.",
      load: async () => (await import("./cloud/invoke_endpoint.ts")).invokeEndpointCommand,
    },
    "delete-endpoint": {
      heading: THERE,
      summary: "Delete an inference endpoint.",
      load: async () => (await import("./cloud/delete_endpoint.ts")).deleteEndpointCommand,
    },
  },
};
