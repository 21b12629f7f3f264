/**
 * The options of every command that starts something on SageMaker: a job, or an endpoint. Those with
 * `key` may stand in the app's configuration file, too.
 */

import type { JobKind, ProgramKind } from "../../runtime/contract/jobs.ts";
import type { GivenVariable } from "../../runtime/contract/variables.ts";
import { MlcliError } from "../../runtime/errors.ts";
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
import { each, options } from "./option.ts";
import {
  processProgramOptions,
  programOptions,
  scriptOption,
  serverProgramOptions,
} from "./program.ts";
import { variableOptions } from "./container.ts";
import { cloudOptions, dockerTag, outputFormat, progressOptions } from "./shared.ts";
import { transformOptions } from "./transform.ts";

function machineOptions<const Kind extends JobKind>(kind: Kind) {
  return options(each({ group: "Resources", key: true }, {
    "-e, --ec2-type, --instance-type TYPE": {
      description: "Instance type, such as ml.m5.large",
      completion: "instance-type",
      needed: kind === "train" ? "--instance-group" : true,
      parse: parseInstanceType,
    },
    "-c, --instance-count NUMBER": {
      description: "Number of instances",
      default: "1",
      parse: parseInstances(kind),
    },
  }));
}

function instanceOptions<const Kind extends ProgramKind>(kind: Kind) {
  return options({
    ...machineOptions(kind),
    ...each({ group: "Resources", key: true }, {
      "--volume-size SIZE": {
        rare: true,
        description: "Disk size of each instance, in GB or with a unit, such as 1TB",
        default: "30GB",
        parse: parseVolume(kind),
      },
      "--max-run DURATION": {
        description: "Maximum runtime, such as 90m, after which SageMaker stops the job",
        default: "24h",
        parse: parseRun(kind),
      },
    }),
  });
}

/** Requires a value: someone else might have written the file, which must not read the user's shell. */
function requireVariableValue({ value }: GivenVariable, source: string): void {
  if (value !== undefined) return;
  throw new MlcliError(`${source} must have a value for each variable`, {
    hint: 'Write "env": {"NAME": "VALUE"}, or use --env NAME to copy the value from your shell',
  });
}

const VPC = "Set both --subnet and --security-group for a VPC, or neither";

/** The variables, tags, network and key of a job or an endpoint. */
export const environmentOptions = options({
  ...variableOptions,
  "--env": {
    ...variableOptions["--env"],
    rare: true,
    key: true,
    merged: true,
    trust: requireVariableValue,
  },
  ...each({ group: "AWS", rare: true, key: true }, {
    "--tag KEY=VALUE...": {
      description: "AWS tag for the job; for the image's tag, use --docker-tag (repeatable)",
      merged: true,
      parse: parseAwsTag,
    },
    "--subnet ID...": {
      description: "VPC subnet of the instances; requires --security-group (repeatable)",
      traced: true,
      onlyWith: "--security-group",
      hint: VPC,
      parse: parseNetworkId,
    },
    "--security-group ID...": {
      description: "VPC security group of the instances; requires --subnet (repeatable)",
      onlyWith: "--subnet",
      hint: VPC,
      parse: parseNetworkId,
    },
    "--kms-key KEY": {
      description: "KMS key that encrypts the results and the instances' disks",
      traced: true,
      variable: "MLCLI_KMS_KEY",
      parse: parseKmsKey,
    },
  }),
});

/** The last options of commands that start something that costs money. */
export const startOptions = options({
  "--dry-run": {
    description: "Check the settings and print the AWS calls as JSON, without making changes",
  },
  "-y, --yes": {
    rare: true,
    description: "Don't ask for confirmation before the first job or endpoint from this directory",
  },
  "--output": { ...outputFormat["--output"], rare: true },
  ...progressOptions,
  "--quiet": { ...progressOptions["--quiet"], rare: true },
  ...dockerTag,
  "--docker-tag": { ...dockerTag["--docker-tag"], rare: true, key: true },
  "--repository NAME": {
    group: "Your app and image",
    rare: true,
    description: "ECR repository of the image (default: image_name in NAME.json)",
    key: true,
    parse: parseRepositoryName,
  },
  ...cloudOptions,
});

export const executionRole = options({
  "--execution-role ARN": {
    group: "AWS",
    description: "IAM role that SageMaker assumes",
    key: true,
    top: "execution_role",
    needed: "--iam-role-arn",
    variable: "MLCLI_EXECUTION_ROLE",
    parse: parseRole,
  },
});

/** Of all jobs, besides their instances. */
const cloudJobOptions = options({
  "-n, --base-job-name NAME": {
    rare: true,
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
    traced: true,
  },
  "--no-wait": {
    description: "Create the job, print its name and exit without waiting for the job",
  },
  ...startOptions,
  // -o is where the output goes.
  "--output": { ...startOptions["--output"], short: undefined },
});

export const TRAIN_OPTIONS = options({
  "[-- args...]": {},
  "-i, --input-s3-dir [CHANNEL=]S3_URI...": {
    description:
      "S3 URI of the training data, s3://BUCKET/PREFIX; the default CHANNEL is training " +
      "(repeatable)",
    key: true,
    needed: true,
    parse: parseChannelAddress,
  },
  "-o, --output-s3-dir S3_URI": {
    description: "S3 URI below which SageMaker saves the model in JOB/output/ (default: output/ " +
      "below s3_prefix in NAME.json)",
    key: true,
    traced: true,
    parse: parseAddress,
  },
  "--shard CHANNEL...": {
    group: "Resources",
    rare: true,
    description: "Split the objects of CHANNEL between the instances; all splits the objects of " +
      "every channel (repeatable)",
    key: true,
  },
  ...instanceOptions("train"),
  "--instance-group NAME=TYPE:NUMBER...": {
    group: "Resources",
    rare: true,
    description: "Group of instances, instead of --ec2-type and --instance-count (repeatable up " +
      "to 5 times)",
    key: true,
    excludes: ["--ec2-type", "--instance-count"],
    hint: "Set the instance type and count in each group: --instance-group " +
      "gpu=ml.g5.xlarge:2",
    winsInFile: true,
    parse: parseInstanceGroup,
  },
  "--hyperparameter KEY=VALUE...": {
    description: "Override a hyperparameter of input/config/hyperparameters.json (repeatable)",
    key: true,
    merged: true,
  },
  "--spot": {
    group: "Resources",
    description: "Use spot instances, which are cheaper but can be interrupted",
    key: true,
  },
  "--max-wait DURATION": {
    group: "Resources",
    rare: true,
    description: "Maximum time for waiting and running in total; requires --spot (default: the " +
      "value of --max-run)",
    onlyWith: "--spot",
    hint: "To limit how long the job runs, use --max-run",
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
  "--checkpoint-s3-dir S3_URI": {
    rare: true,
    description: "S3 URI of checkpoints, which SageMaker copies to and from /opt/ml/checkpoints " +
      "(default: none)",
    key: true,
    traced: true,
    parse: parseAddress,
  },
  ...cloudJobOptions,
});

export const PROCESS_OPTIONS = options({
  "[-- args...]": {},
  ...scriptOption,
  "-i, --input-s3-location [NAME[:PATH]=]S3_URI...": {
    description:
      "Provide S3_URI at /opt/ml/processing/input/NAME, or at PATH (repeatable). Without " +
      "NAME, SageMaker provides S3_URI at /opt/ml/processing/input.",
    key: true,
    parse: parseDataAddress("input"),
  },
  "-o, --output-s3-location NAME[:PATH][=S3_URI]...": {
    description: "Save the files in /opt/ml/processing/output/NAME, or in PATH, to S3_URI " +
      "(repeatable; default: output/JOB/NAME/ below the app's s3_prefix). To save all " +
      "outputs, omit NAME: -o S3_URI.",
    key: true,
    traced: true,
    parse: parseDataAddress("output"),
  },
  ...processProgramOptions,
  ...instanceOptions("process"),
  "--shard INPUT...": {
    group: "Resources",
    rare: true,
    description:
      "Split the objects of INPUT between the instances; all splits the objects of every " +
      "input (repeatable)",
    key: true,
  },
  ...cloudJobOptions,
});

export const TRANSFORM_OPTIONS = options({
  "-i, --input-s3-location S3_URI": {
    description: "S3 URI of the data: a prefix (s3://BUCKET/PREFIX) or one object",
    key: true,
    needed: true,
    parse: (text: string, source: string) =>
      parseAddress(
        text,
        source,
        "Upload the data with mlcli upload-data, or transform it locally: mlcli local transform",
      ),
  },
  "-o, --output-s3-dir S3_URI": {
    description: "S3 URI for the .out files (default: output/JOB/ below s3_prefix in NAME.json)",
    key: true,
    traced: true,
    parse: parseAddress,
  },
  "-m, --model NAME|S3_URI": {
    description: "Name of a SageMaker model, or S3 URI of a model.tar.gz",
    key: true,
    excludes: ["--job", "--endpoint"],
    needed: "--job, --endpoint",
    parse: parseTransformModel,
  },
  "--job JOB": {
    description: "Use the model of this training job, instead of --model",
    excludes: ["--endpoint"],
    parse: (text: string) => ({ job: parseJobName(text) }),
  },
  "--endpoint ENDPOINT": {
    description: "Use the model of this endpoint, instead of --model",
    parse: (text: string) => ({ endpoint: parseJobName(text) }),
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
