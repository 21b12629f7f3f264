/** The commands that run on SageMaker: `mlcli train`, which is also `mlcli cloud train`. */

import { type Group, under } from "../command.ts";

export const COSTS_MONEY = "On SageMaker (costs money)";

const MANAGES = "Jobs and endpoints on SageMaker";

const cloudGroup: Group = {
  options: {},
  commands: {
    ...under(COSTS_MONEY, {
      push: { summary: "Push the app's image to Amazon ECR", load: () => import("./push.ts") },
      "upload-data": {
        summary: "Upload files and directories to S3",
        load: () => import("./upload_data.ts"),
      },
      train: { summary: "Run a training job on data in S3", load: () => import("./train.ts") },
      process: {
        summary: "Run a processing job on data in S3",
        load: () => import("./process.ts"),
      },
      transform: {
        summary: "Run a batch transform job on data in S3",
        load: () => import("./transform.ts"),
      },
      deploy: {
        summary: "Create or update an endpoint that serves a model",
        load: () => import("./deploy.ts"),
      },
      "invoke-endpoint": {
        summary: "Send a request to an endpoint",
        load: () => import("./invoke_endpoint.ts"),
      },
    }),
    ...under(MANAGES, {
      "list-jobs": {
        aliases: ["ls"],
        summary: "List training, processing and transform jobs",
        load: () => import("./list_jobs.ts"),
      },
      describe: {
        summary: "Show the details of a job or an endpoint",
        load: () => import("./describe.ts"),
      },
      logs: { summary: "Show the log of a job or an endpoint", load: () => import("./logs.ts") },
      wait: {
        summary: "Wait for a job or an endpoint and print the result",
        load: () => import("./wait.ts"),
      },
      "stop-job": { summary: "Stop a job", load: () => import("./stop_job.ts") },
      "download-model": {
        summary: "Download the model of a training job",
        load: () => import("./download_model.ts"),
      },
      "download-output": {
        summary: "Download the output of a job",
        load: () => import("./download_output.ts"),
      },
      "list-endpoints": {
        summary: "List endpoints, newest first",
        load: () => import("./list_endpoints.ts"),
      },
      "delete-endpoint": {
        summary: "Delete an endpoint",
        load: () => import("./delete_endpoint.ts"),
      },
    }),
  },
};

export default cloudGroup;
