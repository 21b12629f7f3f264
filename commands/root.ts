import type { Group } from "./command.ts";
import { everywhere } from "./options/standard.ts";

/** Headings by where a command works. */
const HERE = "On this machine";
const THERE = "On SageMaker (costs money)";

const START = "mlcli init flats && mlcli build && mlcli local train && mlcli local deploy";

/** `mlcli` with all its commands. */
export const root: Group = {
  details:
    "Train and serve machine-learning models in containers on this machine, as Amazon SageMaker " +
    "does, and then on SageMaker itself.",
  options: everywhere,
  examples: [
    ["Make an app, and train and serve it here", START],
    ["Ask the server", "echo 72,3,15 | mlcli local invoke"],
    ["Find out why something does not work", "mlcli doctor"],
  ],
  more:
    "mlcli COMMAND --help says more about each command. The documentation is docs/ in mlcli's " +
    "source code; the README that comes with a release leads to it.",
  early: async () => (await import("./options/shared.ts")).earlyOptions,
  commands: {
    init: {
      heading: HERE,
      summary:
        "Make a new app in this directory: a working example with its Dockerfile and test data.",
      load: async () => (await import("./init.ts")).initCommand,
    },
    build: {
      heading: HERE,
      summary: "Build the app's image from its Dockerfile.",
      load: async () => (await import("./build.ts")).buildCommand,
    },
    local: {
      heading: HERE,
      summary: "Train, process and serve in containers on this machine, as SageMaker does.",
      load: async () => (await import("./local/local.ts")).localGroup,
    },
    doctor: {
      heading: HERE,
      summary: "Check the Docker Engine, the app, its image and the port.",
      load: async () => (await import("./doctor.ts")).doctorCommand,
    },
    config: {
      heading: HERE,
      summary: "List and change your own settings: colour, output format, region, profile.",
      load: async () => (await import("./config/config.ts")).configGroup,
    },
    completions: {
      heading: HERE,
      summary: "Print a script that completes mlcli's command lines in a shell.",
      load: async () => (await import("./completions/completions.ts")).completionsGroup,
    },
    help: {
      heading: HERE,
      summary: "Show the help of a command.",
      load: async () => (await import("./help.ts")).helpCommand,
    },
    push: {
      heading: THERE,
      summary: "Push the app's image to Amazon ECR, in the form that SageMaker takes.",
      load: async () => (await import("./cloud/push.ts")).pushCommand,
    },
    "upload-data": {
      heading: THERE,
      summary: "Upload files and directories to S3, for jobs to read.",
      load: async () => (await import("./cloud/upload_data.ts")).uploadDataCommand,
    },
    train: {
      heading: THERE,
      summary: "Train on data in S3, and wait for the model.",
      load: async () => (await import("./cloud/jobs.ts")).trainCommand,
    },
    process: {
      heading: THERE,
      summary: "Run a processing script on data in S3, and wait until it ends.",
      load: async () => (await import("./cloud/jobs.ts")).processCommand,
    },
    transform: {
      heading: THERE,
      summary: "Score files in batch: have a model answer all data of a place in S3.",
      load: async () => (await import("./cloud/jobs.ts")).transformCommand,
    },
    deploy: {
      heading: THERE,
      summary: "Serve a model on an endpoint: create it, or update it.",
      load: async () => (await import("./cloud/deploy.ts")).deployCommand,
    },
    "list-jobs": {
      heading: THERE,
      aliases: ["ls"],
      summary: "List training, processing and transform jobs, newest first.",
      load: async () => (await import("./cloud/list_jobs.ts")).listJobsCommand,
    },
    describe: {
      heading: THERE,
      summary: "Show the details of a job or an endpoint.",
      load: async () => (await import("./cloud/by_name.ts")).describeCommand,
    },
    logs: {
      heading: THERE,
      summary: "Show the log of a job or an endpoint.",
      load: async () => (await import("./cloud/by_name.ts")).logsCommand,
    },
    wait: {
      heading: THERE,
      summary: "Wait until a job has ended or an endpoint is in service, and print the result.",
      load: async () => (await import("./cloud/by_name.ts")).waitCommand,
    },
    "stop-job": {
      heading: THERE,
      summary: "Stop a job.",
      load: async () => (await import("./cloud/by_name.ts")).stopJobCommand,
    },
    "download-model": {
      heading: THERE,
      summary: "Download the model of a training job into the app, or into a directory.",
      load: async () => (await import("./cloud/download_model.ts")).downloadModelCommand,
    },
    "download-output": {
      heading: THERE,
      summary: "Download what a training, processing or transform job left.",
      load: async () => (await import("./cloud/download_output.ts")).downloadOutputCommand,
    },
    "list-endpoints": {
      heading: THERE,
      summary: "List endpoints, newest first.",
      load: async () => (await import("./cloud/list_endpoints.ts")).listEndpointsCommand,
    },
    "invoke-endpoint": {
      heading: THERE,
      summary: "Send a request to an endpoint, and print the answer.",
      load: async () => (await import("./cloud/invoke_endpoint.ts")).invokeEndpointCommand,
    },
    "delete-endpoint": {
      heading: THERE,
      summary: "Delete an endpoint.",
      load: async () => (await import("./cloud/delete_endpoint.ts")).deleteEndpointCommand,
    },
  },
};
