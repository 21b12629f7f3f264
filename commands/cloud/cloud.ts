/** The commands that run on SageMaker: `mlcli train`, which is also `mlcli cloud train`. */

import type { Group } from "../command.ts";

export const COSTS_MONEY = "On SageMaker (costs money)";

const MANAGES = "Jobs and endpoints on SageMaker";

const cloudGroup: Group = {
  options: {},
  commands: {
    push: {
      heading: COSTS_MONEY,
      summary: "Push the app's image to Amazon ECR",
      load: () => import("./push.ts"),
    },
    "upload-data": {
      heading: COSTS_MONEY,
      summary: "Upload files and directories to S3",
      load: () => import("./upload_data.ts"),
    },
    train: {
      heading: COSTS_MONEY,
      summary: "Run a training job on data in S3",
      load: () => import("./train.ts"),
    },
    process: {
      heading: COSTS_MONEY,
      summary: "Run a processing job on data in S3",
      load: () => import("./process.ts"),
    },
    transform: {
      heading: COSTS_MONEY,
      summary: "Run a batch transform job on data in S3",
      load: () => import("./transform.ts"),
    },
    deploy: {
      heading: COSTS_MONEY,
      summary: "Create or update an endpoint that serves a model",
      load: () => import("./deploy.ts"),
    },
    "invoke-endpoint": {
      heading: COSTS_MONEY,
      summary: "Send a request to an endpoint",
      load: () => import("./invoke_endpoint.ts"),
    },
    "list-jobs": {
      heading: MANAGES,
      aliases: ["ls"],
      summary: "List training, processing and transform jobs",
      load: () => import("./list_jobs.ts"),
    },
    describe: {
      heading: MANAGES,
      summary: "Show the details of a job or an endpoint",
      load: () => import("./describe.ts"),
    },
    logs: {
      heading: MANAGES,
      summary: "Show the log of a job or an endpoint",
      load: () => import("./logs.ts"),
    },
    wait: {
      heading: MANAGES,
      summary: "Wait for a job or an endpoint and print the result",
      load: () => import("./wait.ts"),
    },
    "stop-job": {
      heading: MANAGES,
      summary: "Stop a job",
      load: () => import("./stop_job.ts"),
    },
    "download-model": {
      heading: MANAGES,
      summary: "Download the model of a training job",
      load: () => import("./download_model.ts"),
    },
    "download-output": {
      heading: MANAGES,
      summary: "Download the output of a job",
      load: () => import("./download_output.ts"),
    },
    "list-endpoints": {
      heading: MANAGES,
      summary: "List endpoints, newest first",
      load: () => import("./list_endpoints.ts"),
    },
    "delete-endpoint": {
      heading: MANAGES,
      summary: "Delete an endpoint",
      load: () => import("./delete_endpoint.ts"),
    },
  },
};

export default cloudGroup;
