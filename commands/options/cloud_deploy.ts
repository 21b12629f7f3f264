/**
 * The options of `mlcli deploy`, and the keys of the object `deploy` in the configuration file.
 *
 * @module
 */

import { DEPLOY_SECONDS } from "../../runtime/cloud/deploy/request.ts";
import { dryRun, executionRole, ownOptions, placeOptions } from "./cloud_job.ts";
import {
  parseAlarm,
  parseCanary,
  parseCapture,
  parseConcurrency,
  parseEndpointName,
  parseHealthCheck,
  parseMemorySize,
  parseModel,
} from "./deploy_parsers.ts";
import { parseInstances, parseInstanceType } from "./job_parsers.ts";
import { options } from "./option.ts";
import { parseSeconds } from "./parsers.ts";

/** Of `mlcli deploy`. */
export const DEPLOY_OPTIONS = options({
  "--endpoint-name": {
    short: "-n",
    value: "name",
    description: "Endpoint to create, or to update if it exists.",
    key: true,
    needed: true,
    variable: "MLCLI_ENDPOINT_NAME",
    parse: parseEndpointName,
  },
  "--model": {
    short: "-m",
    alias: "--s3-model-location",
    value: "uri",
    description:
      "The model: an archive s3://BUCKET/.../model.tar.gz, or a local directory, which " +
      "is packed, tried and uploaded.",
    key: true,
    needed: true,
    completion: "file",
    parse: parseModel,
  },
  "--ec2-type": {
    short: "-e",
    alias: "--instance-type",
    value: "type",
    description: "Instance type, such as ml.m5.large. A new endpoint needs this or " +
      "--memory-size-in-mb.",
    key: true,
    parse: parseInstanceType,
  },
  "--instance-count": {
    short: "-c",
    value: "number",
    description: "Number of instances. Default of a new endpoint: 1.",
    key: true,
    parse: parseInstances("serve"),
  },
  "--memory-size-in-mb": {
    value: "mb",
    description: "Make it serverless, with this memory: 1024, 2048, ... 6144.",
    key: true,
    parse: parseMemorySize,
  },
  "--max-concurrency": {
    value: "number",
    description: "If serverless, how many requests at once. Default of a new endpoint: 5.",
    key: true,
    parse: parseConcurrency,
  },
  "--health-check-timeout": {
    value: "seconds",
    description: "How long a container may take until it answers /ping, 60 to 3600.",
    key: true,
    parse: parseHealthCheck,
  },
  "--data-capture": {
    value: "uri",
    description: "s3://BUCKET/PREFIX, where all requests and answers are saved.",
    key: true,
    parse: parseCapture,
  },
  "--canary": {
    value: "percent",
    description: "Update this part of the instances first, 1 to 50.",
    key: true,
    parse: parseCanary,
  },
  "--alarm": {
    value: "name",
    description: "With --canary, CloudWatch alarm that rolls the update back. May be repeated.",
    repeatable: true,
    key: true,
    parse: parseAlarm,
  },
  "--execution-role": {
    ...executionRole["--execution-role"],
    description: "Role that SageMaker assumes. Default of a new endpoint: the role of " +
      "--iam-role-arn.",
    needed: undefined,
  },
  ...ownOptions,
  "--tag": {
    ...ownOptions["--tag"],
    description: "KEY=VALUE, an AWS tag for the endpoint (not the image's). May be repeated.",
  },
  "--kms-key": {
    ...ownOptions["--kms-key"],
    description: "KMS key for the disks and the captured data.",
  },
  "--no-wait": { description: "Return once SageMaker has begun." },
  "--timeout": {
    value: "seconds",
    description: `How long to wait at most. Default: ${DEPLOY_SECONDS}.`,
    key: true,
    parse: parseSeconds,
  },
  ...dryRun,
  ...placeOptions,
});
