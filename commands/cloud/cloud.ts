/** The commands that run on SageMaker: `mlcli train`, which is also `mlcli cloud train`. */

import type { Group } from "../command.ts";

export const COSTS_MONEY = "On SageMaker (costs money)";

const MANAGES = "Jobs and endpoints on SageMaker";

export const cloudGroup: Group = {
  options: {},
  commands: {
    push: {
      heading: COSTS_MONEY,
      summary: "Push the app's image to Amazon ECR",
      load: async () => (await import("./push.ts")).pushCommand,
    },
    "upload-data": {
      heading: COSTS_MONEY,
      summary: "Upload files and directories to S3",
      load: async () => (await import("./upload_data.ts")).uploadDataCommand,
    },
    train: {
      heading: COSTS_MONEY,
      summary: "Run a training job on data in S3",
      load: async () => (await import("./jobs.ts")).trainCommand,
    },
    process: {
      heading: COSTS_MONEY,
      summary: "Run a processing job on data in S3",
      load: async () => (await import("./jobs.ts")).processCommand,
    },
    transform: {
      heading: COSTS_MONEY,
      summary: "Run a batch transform job on data in S3",
      load: async () => (await import("./jobs.ts")).transformCommand,
    },
    deploy: {
      heading: COSTS_MONEY,
      summary: "Create or update an endpoint that serves a model",
      load: async () => (await import("./deploy.ts")).deployCommand,
    },
    "invoke-endpoint": {
      heading: COSTS_MONEY,
      summary: "Send a request to an endpoint",
      load: async () => (await import("./invoke_endpoint.ts")).invokeEndpointCommand,
    },
    "list-jobs": {
      heading: MANAGES,
      aliases: ["ls"],
      summary: "List training, processing and transform jobs",
      load: async () => (await import("./list_jobs.ts")).listJobsCommand,
    },
    describe: {
      heading: MANAGES,
      summary: "Show the details of a job or an endpoint",
      load: async () => (await import("./by_name.ts")).describeCommand,
    },
    logs: {
      heading: MANAGES,
      summary: "Show the log of a job or an endpoint",
      load: async () => (await import("./by_name.ts")).logsCommand,
    },
    wait: {
      heading: MANAGES,
      summary: "Wait for a job or an endpoint and print the result",
      load: async () => (await import("./by_name.ts")).waitCommand,
    },
    "stop-job": {
      heading: MANAGES,
      summary: "Stop a job",
      load: async () => (await import("./by_name.ts")).stopJobCommand,
    },
    "download-model": {
      heading: MANAGES,
      summary: "Download the model of a training job",
      load: async () => (await import("./download_model.ts")).downloadModelCommand,
    },
    "download-output": {
      heading: MANAGES,
      summary: "Download the output of a job",
      load: async () => (await import("./download_output.ts")).downloadOutputCommand,
    },
    "list-endpoints": {
      heading: MANAGES,
      summary: "List endpoints, newest first",
      load: async () => (await import("./list_endpoints.ts")).listEndpointsCommand,
    },
    "delete-endpoint": {
      heading: MANAGES,
      summary: "Delete an endpoint",
      load: async () => (await import("./delete_endpoint.ts")).deleteEndpointCommand,
    },
  },
};
