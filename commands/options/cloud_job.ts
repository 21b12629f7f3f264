/**
 * The options of every command that starts something on SageMaker: a job, or an endpoint. Those with
 * `key` may stand in the app's configuration file, too.
 */

import type { JobKind, ProgramKind } from "../../runtime/contract/jobs.ts";
import {
  parseAddress,
  parseAwsTag,
  parseChannelAddress,
  parseDataAddress,
  parseInstanceGroup,
  parseInstances,
  parseInstanceType,
  parseJobName,
  parseKmsKey,
  parseNetworkId,
  parseRepositoryName,
  parseRole,
  parseRun,
  parseTransformModel,
  parseVolume,
} from "./job_parsers.ts";
import { options } from "./option.ts";
import { processProgramOptions, programOptions, serverProgramOptions } from "./program.ts";
import { variableOptions } from "./container.ts";
import { cloudOptions, dockerTag, outputFormat, progressOptions } from "./shared.ts";
import { transformOptions } from "./transform.ts";

// deno-lint-ignore explicit-module-boundary-types -- the types of the values come from what is written
export function machineOptions<const Kind extends JobKind>(kind: Kind) {
  return options({
    "--ec2-type": {
      short: "-e",
      alias: "--instance-type",
      value: "type",
      description: "Instance type, such as ml.m5.large.",
      key: true,
      completion: "instance-type",
      needed: true,
      parse: parseInstanceType,
    },
    "--instance-count": {
      short: "-c",
      value: "number",
      description: "Number of instances.",
      key: true,
      default: "1",
      parse: parseInstances(kind),
    },
  });
}

// deno-lint-ignore explicit-module-boundary-types -- as above
export function instanceOptions<const Kind extends ProgramKind>(kind: Kind) {
  return options({
    ...machineOptions(kind),
    "--volume-size": {
      value: "gb",
      description: "Disk size of each instance, in GB.",
      key: true,
      default: "30",
      parse: parseVolume(kind),
    },
    "--max-run": {
      value: "seconds",
      description: "How long it may run before SageMaker stops it.",
      key: true,
      default: "86400",
      parse: parseRun(kind),
    },
  });
}

/** The variables, tags, network and key of a job or an endpoint. */
export const environmentOptions = options({
  ...variableOptions,
  "--env": { ...variableOptions["--env"], key: true },
  "--tag": {
    value: "pair",
    description: "KEY=VALUE, an AWS tag for the job (not the image's). May be repeated.",
    repeatable: true,
    key: true,
    parse: parseAwsTag,
  },
  "--subnet": {
    value: "id",
    description: "Subnet to run in, with --security-group. May be repeated.",
    repeatable: true,
    key: true,
    parse: parseNetworkId,
  },
  "--security-group": {
    value: "id",
    description: "Security group to run in, with --subnet. May be repeated.",
    repeatable: true,
    key: true,
    parse: parseNetworkId,
  },
  "--kms-key": {
    value: "key",
    description: "KMS key for the results and the disks.",
    key: true,
    variable: "MLCLI_KMS_KEY",
    parse: parseKmsKey,
  },
});

export const imageAndAccount = options({
  ...dockerTag,
  "--docker-tag": { ...dockerTag["--docker-tag"], key: true },
  "--repository": {
    value: "name",
    description: "ECR repository of the image. Default: image_name.",
    key: true,
    parse: parseRepositoryName,
  },
  ...cloudOptions,
});

export const executionRole = options({
  "--execution-role": {
    value: "arn",
    description: "Role that SageMaker assumes. Default: the role of --iam-role-arn.",
    key: true,
    needed: true,
    variable: "MLCLI_EXECUTION_ROLE",
    parse: parseRole,
  },
});

export const dryRun = options({
  "--dry-run": {
    description: "Check everything and print the calls as JSON, but change nothing.",
  },
});

/** Of all jobs, besides their instances. */
export const cloudJobOptions = options({
  "--base-job-name": {
    short: "-n",
    value: "name",
    description: "Beginning of the job's name. Default: the app's name.",
    key: true,
    parse: parseJobName,
  },
  ...executionRole,
  ...environmentOptions,
  "--network-isolation": { description: "Run without a network.", key: true },
  "--no-wait": { description: "Return once the job is created, and print its name." },
  ...dryRun,
  // -o is where the output goes.
  "--output": { ...outputFormat["--output"], short: undefined },
  ...progressOptions,
  ...imageAndAccount,
});

export const TRAIN_OPTIONS = options({
  "[-- args...]": {},
  "--input-s3-dir": {
    short: "-i",
    value: "uri",
    description: "[CHANNEL=]s3://BUCKET/PREFIX of the data. Without CHANNEL, the channel is " +
      "training. May be repeated.",
    repeatable: true,
    key: true,
    needed: true,
    parse: parseChannelAddress,
  },
  "--output-s3-dir": {
    short: "-o",
    value: "uri",
    description: "Where the artifact goes, in JOB/output/. Default: {s3_prefix}/output.",
    key: true,
    parse: parseAddress,
  },
  "--shard": {
    value: "channel",
    description: "Split the objects of this channel between the instances. May be repeated.",
    repeatable: true,
    key: true,
  },
  ...instanceOptions("train"),
  "--instance-group": {
    value: "pair",
    description: "NAME=TYPE:NUMBER, a group of instances, in place of --ec2-type and " +
      "--instance-count. May be repeated, up to 5 times.",
    repeatable: true,
    key: true,
    parse: parseInstanceGroup,
  },
  "--hyperparameter": {
    value: "pair",
    description: "KEY=VALUE; overrides input/config/hyperparameters.json. May be repeated.",
    repeatable: true,
    key: true,
  },
  "--spot": { description: "Run on spot instances: cheaper, but may be interrupted.", key: true },
  "--max-wait": {
    value: "seconds",
    description: "With --spot, how long it may wait and run. Default: --max-run.",
    key: true,
    parse: parseRun("train"),
  },
  ...programOptions,
  "--send-code": {
    description: "Send training/ and common/ of this machine, without build and push.",
  },
  "--checkpoint-s3-dir": {
    value: "uri",
    description: "Where /opt/ml/checkpoints is saved, and restored from.",
    key: true,
    parse: parseAddress,
  },
  ...cloudJobOptions,
});

export const PROCESS_OPTIONS = options({
  "[-- args...]": {},
  "--file": {
    short: "-f",
    value: "file",
    description: "Script in processing/, for an image of mlcli build.",
    key: true,
    completion: "script",
    path: "inner",
  },
  "--input-s3-location": {
    short: "-i",
    value: "uri",
    description:
      "[NAME[:PATH]=]s3://...: the code finds it at /opt/ml/processing/input/NAME, or at " +
      "PATH; without NAME, at /opt/ml/processing/input. Default: none. May be repeated.",
    repeatable: true,
    key: true,
    parse: parseDataAddress("input"),
  },
  "--output-s3-location": {
    short: "-o",
    value: "uri",
    description:
      "[NAME[:PATH]=]s3://...: send /opt/ml/processing/output/NAME, or PATH, there; without " +
      "NAME, all of /opt/ml/processing/output. Default: {s3_prefix}/output/JOB, for NAME alone " +
      "{s3_prefix}/output/JOB/NAME. May be repeated.",
    repeatable: true,
    key: true,
    parse: parseDataAddress("output"),
  },
  ...processProgramOptions,
  ...instanceOptions("process"),
  "--shard": {
    value: "input",
    description: "Split the objects of this input between the instances. May be repeated.",
    repeatable: true,
    key: true,
  },
  "--input-sharded": { description: "--shard for all inputs.", key: true },
  ...cloudJobOptions,
});

export const TRANSFORM_OPTIONS = options({
  "--input-s3-location": {
    short: "-i",
    value: "uri",
    description: "s3://BUCKET/PREFIX of the data, or one object.",
    key: true,
    needed: true,
    parse: (text, source) =>
      parseAddress(
        text,
        source,
        "mlcli upload-data puts files into S3; mlcli local transform takes files of this machine.",
      ),
  },
  "--output-s3-dir": {
    short: "-o",
    value: "uri",
    description: "Where the .out files go. Default: {s3_prefix}/output/JOB.",
    key: true,
    parse: parseAddress,
  },
  "--model": {
    short: "-m",
    value: "model",
    description:
      "A model on SageMaker, or s3://.../model.tar.gz, of which one is made for the job. " +
      "Or give --job, or --endpoint.",
    key: true,
    needed: true,
    parse: parseTransformModel,
  },
  "--job": {
    value: "job",
    description: "Take the artifact of this training job, instead of --model.",
    parse: (text) => ({ job: parseJobName(text) }),
  },
  "--endpoint": {
    value: "endpoint",
    description: "Take the model that this endpoint serves, instead of --model.",
    parse: (text) => ({ endpoint: parseJobName(text) }),
  },
  ...machineOptions("transform"),
  ...transformOptions,
  "--image": serverProgramOptions["--image"],
  ...cloudJobOptions,
  "--execution-role": {
    ...cloudJobOptions["--execution-role"],
    description: "Role that a new model gets. Default: the role of --iam-role-arn.",
    needed: undefined,
  },
});
