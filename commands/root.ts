import type { Group } from "./command.ts";
import { everywhere } from "./options/standard.ts";

/** Headings by where a command works. */
const HERE = "On this machine";
const THERE = "On SageMaker (costs money)";

const START = "mlcli init flats && mlcli build && mlcli local train && mlcli local deploy";

/** `mlcli` with all its commands. */
export const root: Group = {
  details:
    "Train and serve machine-learning models in local containers, then run the same app on " +
    "Amazon SageMaker",
  options: everywhere,
  examples: [
    ["Create an app, then train and serve it locally", START],
    ["Send a request to the server", "echo 72,3,15 | mlcli local invoke"],
    ["Find out why something fails", "mlcli doctor"],
  ],
  more:
    "For the options of a command, run mlcli COMMAND --help. For the documentation, see the README " +
    "of the release or docs/ in the source code.",
  early: async () => (await import("./options/shared.ts")).earlyOptions,
  commands: {
    init: {
      heading: HERE,
      summary: "Create an app with a working example",
      load: async () => (await import("./init.ts")).initCommand,
    },
    build: {
      heading: HERE,
      summary: "Build the app's Docker image",
      load: async () => (await import("./build.ts")).buildCommand,
    },
    local: {
      heading: HERE,
      summary: "Train, process and serve in local containers",
      load: async () => (await import("./local/local.ts")).localGroup,
    },
    doctor: {
      heading: HERE,
      summary: "Check this machine and the app for problems",
      load: async () => (await import("./doctor.ts")).doctorCommand,
    },
    config: {
      heading: HERE,
      summary: "Show and change your settings",
      load: async () => (await import("./config/config.ts")).configGroup,
    },
    completions: {
      heading: HERE,
      summary: "Print a completion script for your shell",
      load: async () => (await import("./completions/completions.ts")).completionsGroup,
    },
    help: {
      heading: HERE,
      summary: "Show the help of a command",
      load: async () => (await import("./help.ts")).helpCommand,
    },
    push: {
      heading: THERE,
      summary: "Push the app's image to Amazon ECR",
      load: async () => (await import("./cloud/push.ts")).pushCommand,
    },
    "upload-data": {
      heading: THERE,
      summary: "Upload files and directories to S3",
      load: async () => (await import("./cloud/upload_data.ts")).uploadDataCommand,
    },
    train: {
      heading: THERE,
      summary: "Run a training job on data in S3",
      load: async () => (await import("./cloud/jobs.ts")).trainCommand,
    },
    process: {
      heading: THERE,
      summary: "Run a processing job on data in S3",
      load: async () => (await import("./cloud/jobs.ts")).processCommand,
    },
    transform: {
      heading: THERE,
      summary: "Run a batch transform job on data in S3",
      load: async () => (await import("./cloud/jobs.ts")).transformCommand,
    },
    deploy: {
      heading: THERE,
      summary: "Create or update an endpoint that serves a model",
      load: async () => (await import("./cloud/deploy.ts")).deployCommand,
    },
    "list-jobs": {
      heading: THERE,
      aliases: ["ls"],
      summary: "List training, processing and transform jobs",
      load: async () => (await import("./cloud/list_jobs.ts")).listJobsCommand,
    },
    describe: {
      heading: THERE,
      summary: "Show the details of a job or an endpoint",
      load: async () => (await import("./cloud/by_name.ts")).describeCommand,
    },
    logs: {
      heading: THERE,
      summary: "Show the log of a job or an endpoint",
      load: async () => (await import("./cloud/by_name.ts")).logsCommand,
    },
    wait: {
      heading: THERE,
      summary: "Wait for a job or an endpoint and print the result",
      load: async () => (await import("./cloud/by_name.ts")).waitCommand,
    },
    "stop-job": {
      heading: THERE,
      summary: "Stop a job",
      load: async () => (await import("./cloud/by_name.ts")).stopJobCommand,
    },
    "download-model": {
      heading: THERE,
      summary: "Download the model of a training job",
      load: async () => (await import("./cloud/download_model.ts")).downloadModelCommand,
    },
    "download-output": {
      heading: THERE,
      summary: "Download the output of a job",
      load: async () => (await import("./cloud/download_output.ts")).downloadOutputCommand,
    },
    "list-endpoints": {
      heading: THERE,
      summary: "List endpoints, newest first",
      load: async () => (await import("./cloud/list_endpoints.ts")).listEndpointsCommand,
    },
    "invoke-endpoint": {
      heading: THERE,
      summary: "Send a request to an endpoint",
      load: async () => (await import("./cloud/invoke_endpoint.ts")).invokeEndpointCommand,
    },
    "delete-endpoint": {
      heading: THERE,
      summary: "Delete an endpoint",
      load: async () => (await import("./cloud/delete_endpoint.ts")).deleteEndpointCommand,
    },
  },
};
