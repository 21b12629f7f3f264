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
      group: "Resources",
      short: "-e",
      alias: "--instance-type",
      value: "type",
      description: "Instance type, such as ml.m5.large",
      key: true,
      completion: "instance-type",
      needed: kind === "train" ? "--instance-group" : true,
      parse: parseInstanceType,
    },
    "--instance-count": {
      group: "Resources",
      short: "-c",
      value: "number",
      description: "Number of instances",
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
      group: "Resources",
      rare: true,
      value: "size",
      description: "Disk size of each instance, in GB or with a unit, such as 1TB",
      key: true,
      default: "30GB",
      parse: parseVolume(kind),
    },
    "--max-run": {
      group: "Resources",
      value: "duration",
      description: "Maximum runtime, such as 90m, after which SageMaker stops the job",
      key: true,
      default: "24h",
      parse: parseRun(kind),
    },
  });
}

/** The variables, tags, network and key of a job or an endpoint. */
export const environmentOptions = options({
  ...variableOptions,
  "--env": { ...variableOptions["--env"], rare: true, key: true },
  "--tag": {
    group: "AWS",
    rare: true,
    value: "key=value",
    description: "AWS tag for the job; for the image's tag, use --docker-tag (repeatable)",
    repeatable: true,
    key: true,
    parse: parseAwsTag,
  },
  "--subnet": {
    group: "AWS",
    rare: true,
    value: "id",
    description: "VPC subnet of the instances; requires --security-group (repeatable)",
    repeatable: true,
    key: true,
    parse: parseNetworkId,
  },
  "--security-group": {
    group: "AWS",
    rare: true,
    value: "id",
    description: "VPC security group of the instances; requires --subnet (repeatable)",
    repeatable: true,
    key: true,
    parse: parseNetworkId,
  },
  "--kms-key": {
    group: "AWS",
    rare: true,
    value: "key",
    description: "KMS key that encrypts the results and the instances' disks",
    key: true,
    variable: "MLCLI_KMS_KEY",
    parse: parseKmsKey,
  },
});

export const imageAndAccount = options({
  ...dockerTag,
  "--docker-tag": { ...dockerTag["--docker-tag"], rare: true, key: true },
  "--repository": {
    group: "Your app and image",
    rare: true,
    value: "name",
    description: "ECR repository of the image (default: image_name in NAME.json)",
    key: true,
    parse: parseRepositoryName,
  },
  ...cloudOptions,
});

export const executionRole = options({
  "--execution-role": {
    group: "AWS",
    value: "arn",
    description: "IAM role that SageMaker assumes",
    key: true,
    needed: "--iam-role-arn",
    variable: "MLCLI_EXECUTION_ROLE",
    parse: parseRole,
  },
});

/** Of commands that start something that costs money. */
export const agreement = options({
  "--yes": {
    short: "-y",
    rare: true,
    description: "Don't ask for confirmation before the first job or endpoint from this directory",
  },
});

export const dryRun = options({
  "--dry-run": {
    description: "Check the settings and print the AWS calls as JSON, without making changes",
  },
});

/** Of all jobs, besides their instances. */
export const cloudJobOptions = options({
  "--base-job-name": {
    rare: true,
    short: "-n",
    value: "name",
    description: "Prefix of the job's name (default: the app's name)",
    key: true,
    parse: parseJobName,
  },
  ...executionRole,
  ...environmentOptions,
  "--network-isolation": {
    group: "AWS",
    rare: true,
    description: "Run the container without network access",
    key: true,
  },
  "--no-wait": {
    description: "Create the job, print its name and exit without waiting for the job",
  },
  ...dryRun,
  ...agreement,
  // -o is where the output goes.
  "--output": { ...outputFormat["--output"], short: undefined, rare: true },
  ...progressOptions,
  "--quiet": { ...progressOptions["--quiet"], rare: true },
  ...imageAndAccount,
});

export const TRAIN_OPTIONS = options({
  "[-- args...]": {},
  "--input-s3-dir": {
    short: "-i",
    value: "[channel=]s3_uri",
    description:
      "S3 URI of the training data, s3://BUCKET/PREFIX; the default CHANNEL is training " +
      "(repeatable)",
    repeatable: true,
    key: true,
    needed: true,
    parse: parseChannelAddress,
  },
  "--output-s3-dir": {
    short: "-o",
    value: "s3_uri",
    description: "S3 URI below which SageMaker saves the model in JOB/output/ (default: output/ " +
      "below s3_prefix in NAME.json)",
    key: true,
    parse: parseAddress,
  },
  "--shard": {
    group: "Resources",
    rare: true,
    value: "channel",
    description: "Split the objects of CHANNEL between the instances; all splits the objects of " +
      "every channel (repeatable)",
    repeatable: true,
    key: true,
  },
  ...instanceOptions("train"),
  "--instance-group": {
    group: "Resources",
    rare: true,
    value: "name=type:number",
    description: "Group of instances, instead of --ec2-type and --instance-count (repeatable up " +
      "to 5 times)",
    repeatable: true,
    key: true,
    parse: parseInstanceGroup,
  },
  "--hyperparameter": {
    value: "key=value",
    description: "Override a hyperparameter of input/config/hyperparameters.json (repeatable)",
    repeatable: true,
    key: true,
  },
  "--spot": {
    group: "Resources",
    description: "Use spot instances, which are cheaper but can be interrupted",
    key: true,
  },
  "--max-wait": {
    group: "Resources",
    rare: true,
    value: "duration",
    description: "Maximum time for waiting and running in total; requires --spot (default: the " +
      "value of --max-run)",
    key: true,
    parse: parseRun("train"),
  },
  ...programOptions,
  "--send-code": {
    group: "Your app and image",
    rare: true,
    description:
      "Send the local directories training/ and common/ with the job, so that you don't " +
      "need to rebuild the image",
  },
  "--checkpoint-s3-dir": {
    rare: true,
    value: "s3_uri",
    description: "S3 URI of checkpoints, which SageMaker copies to and from /opt/ml/checkpoints " +
      "(default: none)",
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
    description: "Script in processing/ to run (requires an image from mlcli build)",
    key: true,
    completion: "script",
    path: "inner",
  },
  "--input-s3-location": {
    short: "-i",
    value: "[name[:path]=]s3_uri",
    description:
      "Provide S3_URI at /opt/ml/processing/input/NAME, or at PATH (repeatable). Without " +
      "NAME, SageMaker provides S3_URI at /opt/ml/processing/input.",
    repeatable: true,
    key: true,
    parse: parseDataAddress("input"),
  },
  "--output-s3-location": {
    short: "-o",
    value: "name[:path][=s3_uri]",
    description: "Save the files in /opt/ml/processing/output/NAME, or in PATH, to S3_URI " +
      "(repeatable; default: output/JOB/NAME/ below the app's s3_prefix). To save all " +
      "outputs, omit NAME: -o S3_URI.",
    repeatable: true,
    key: true,
    parse: parseDataAddress("output"),
  },
  ...processProgramOptions,
  ...instanceOptions("process"),
  "--shard": {
    group: "Resources",
    rare: true,
    value: "input",
    description:
      "Split the objects of INPUT between the instances; all splits the objects of every " +
      "input (repeatable)",
    repeatable: true,
    key: true,
  },
  ...cloudJobOptions,
});

export const TRANSFORM_OPTIONS = options({
  "--input-s3-location": {
    short: "-i",
    value: "s3_uri",
    description: "S3 URI of the data: a prefix (s3://BUCKET/PREFIX) or one object",
    key: true,
    needed: true,
    parse: (text, source) =>
      parseAddress(
        text,
        source,
        "Upload the data with mlcli upload-data, or transform it locally: mlcli local transform",
      ),
  },
  "--output-s3-dir": {
    short: "-o",
    value: "s3_uri",
    description: "S3 URI for the .out files (default: output/JOB/ below s3_prefix in NAME.json)",
    key: true,
    parse: parseAddress,
  },
  "--model": {
    short: "-m",
    value: "name|s3_uri",
    description: "Name of a SageMaker model, or S3 URI of a model.tar.gz",
    key: true,
    needed: "--job, --endpoint",
    parse: parseTransformModel,
  },
  "--job": {
    value: "job",
    description: "Use the model of this training job, instead of --model",
    parse: (text) => ({ job: parseJobName(text) }),
  },
  "--endpoint": {
    value: "endpoint",
    description: "Use the model of this endpoint, instead of --model",
    parse: (text) => ({ endpoint: parseJobName(text) }),
  },
  ...machineOptions("transform"),
  ...transformOptions,
  "--image": { ...serverProgramOptions["--image"], rare: true },
  ...cloudJobOptions,
  "--execution-role": {
    ...cloudJobOptions["--execution-role"],
    rare: true,
    description: "IAM role for a model that mlcli creates (default: the role of --iam-role-arn)",
    needed: undefined,
  },
});
