/** The options of `mlcli deploy`, and the keys of the object `deploy` in the configuration file. */

import { DEPLOY_SECONDS, type ModelSource } from "../../runtime/cloud/deploy/request.ts";
import { parseS3Uri, type S3Address } from "../../runtime/contract/addresses.ts";
import {
  ALARMS,
  CAPTURE_URI_LENGTH,
  HEALTH_CHECK_SECONDS,
  LARGEST_CANARY,
  lengthOf,
  SERVERLESS,
} from "../../runtime/contract/limits.ts";
import { checkDeployedName } from "../../runtime/contract/names.ts";
import { UsageError } from "../../runtime/errors.ts";
import { environmentOptions, executionRole, startOptions } from "./cloud_job.ts";
import { parseAddress, parseInstances, parseInstanceType } from "./job_parsers.ts";
import { each, options, type Parser } from "./option.ts";
import { serverProgramOptions } from "./program.ts";
import { duration, matching, parsed, parseTimeLimit, sizeIn, wholeNumber } from "./parsers.ts";

export function parseEndpointName(text: string): string {
  checkDeployedName(text);
  return text;
}

/** `s3://BUCKET/KEY`, an archive, `s3://BUCKET/PREFIX/`, or a directory of this machine. */
export const parseModel: Parser<ModelSource> = parsed(
  (text) => {
    if (!/^[a-z][a-z\d+.-]+:\//i.test(text)) return { directory: text };
    const address = parseS3Uri(text);
    return address !== undefined && address.key !== "" ? { address } : undefined;
  },
  "an S3 URI such as s3://my-bucket/churn/model.tar.gz, an S3 prefix that ends with /, or a local " +
    "directory",
  "To get the URI of a training job's model, run mlcli wait JOB",
);

/** A size in MB: `2048`, `2048MB`, `2GB`. */
export const parseMemorySize: Parser<number> = parsed((text) => {
  const size = sizeIn("MB", text) ?? 0;
  const isValid = size >= SERVERLESS.least && size <= SERVERLESS.most;
  return isValid && size % SERVERLESS.step === 0 ? size : undefined;
}, `a number of MB, ${SERVERLESS.least} to ${SERVERLESS.most} in steps of ${SERVERLESS.step}`);

export const parseConcurrency: Parser<number> = wholeNumber(SERVERLESS.mostAtOnce);

const parseAmiVersion: Parser<string> = matching(
  /^[a-z][a-z\d.-]{0,62}$/i,
  "an AMI version such as al2-ami-sagemaker-inference-gpu-3-1",
);

export const parseHealthCheck: Parser<number> = duration(
  HEALTH_CHECK_SECONDS.most,
  HEALTH_CHECK_SECONDS.least,
);

export const parseCanary: Parser<number> = wholeNumber(LARGEST_CANARY, "percent");

export function parseCapture(text: string, source: string): S3Address {
  const address = parseAddress(text, source);
  if (lengthOf(text) <= CAPTURE_URI_LENGTH) return address;
  throw new UsageError(
    `${source} must have at most ${CAPTURE_URI_LENGTH} characters, but has ${lengthOf(text)}`,
  );
}

export function parseAlarm(text: string, source: string): string {
  const [, name] = /^arn:[^:]*:cloudwatch:[^:]*:[^:]*:alarm:(.+)$/.exec(text) ?? [];
  const isName = text.trim() !== "" && lengthOf(text) <= ALARMS.nameLength &&
    !/\p{Cc}/u.test(text);
  if (isName && name === undefined) return text;
  throw new UsageError(
    `${source} must be an alarm name of up to ${ALARMS.nameLength} characters, but got "${text}"`,
    name === undefined ? {} : { hint: `Use the name from the ARN: "${name}"` },
  );
}

/** Options for instances exclude those of serverless endpoints. */
const instancesOnly = {
  excludes: ["--memory-size-in-mb", "--max-concurrency"],
  hint: "Choose instances (--ec2-type, --instance-count) or a serverless endpoint " +
    "(--memory-size-in-mb, --max-concurrency)",
} as const;

export const DEPLOY_OPTIONS = options({
  "-n, --endpoint-name NAME": {
    description: "Endpoint to create, or to update if it exists",
    key: true,
    needed: true,
    traced: true,
    variable: "MLCLI_ENDPOINT_NAME",
    parse: parseEndpointName,
  },
  "-m, --model, --s3-model-location S3_URI|DIR": {
    description: "Model: S3 URI of a model.tar.gz, S3 prefix of uncompressed files, or local " +
      "directory",
    key: true,
    traced: true,
    excludes: ["--run"],
    needed: "the image contains a model, or --run",
    path: (model: ModelSource) => "directory" in model ? model.directory : undefined,
    parse: parseModel,
  },
  "--run RUN": {
    description: "Deploy the model of this local run; last means the newest run with a model",
    completion: "model-run",
  },
  ...serverProgramOptions,
  "--repack": {
    rare: true,
    description: "Don't ask before adding your code to a model archive of more than 1 GB",
  },
  ...each({ group: "Resources", key: true }, {
    "-e, --ec2-type, --instance-type TYPE": {
      description: "Instance type, such as ml.m5.large; a new endpoint requires this option or " +
        "--memory-size-in-mb",
      ...instancesOnly,
      completion: "instance-type",
      parse: parseInstanceType,
    },
    "-c, --instance-count NUMBER": {
      description: "Number of instances (default for a new endpoint: 1)",
      traced: true,
      ...instancesOnly,
      parse: parseInstances("serve"),
    },
    "--memory-size-in-mb MB": {
      description: "Memory of a serverless endpoint: 1024, 2048, ... 6144",
      traced: true,
      parse: parseMemorySize,
    },
    "--max-concurrency NUMBER": {
      rare: true,
      description:
        "Maximum number of concurrent requests of a serverless endpoint (default for a " +
        "new endpoint: 5)",
      parse: parseConcurrency,
    },
    "--inference-ami-version VERSION": {
      rare: true,
      description: "Machine image with the GPU drivers of the instances, such as " +
        "al2-ami-sagemaker-inference-gpu-3-1 (default: SageMaker's choice)",
      traced: true,
      parse: parseAmiVersion,
    },
  }),
  ...each({ rare: true, key: true, traced: true }, {
    "--health-check-timeout DURATION": {
      description:
        "Maximum time until a container responds to /ping, 60s to 1h (default: SageMaker's choice)",
      parse: parseHealthCheck,
    },
    "--data-capture S3_URI": {
      description: "Save all requests and responses at s3://BUCKET/PREFIX (default: none)",
      parse: parseCapture,
    },
    "--canary PERCENT": {
      description: "Update this percentage of the instances first, 1 to 50 (default: all at once)",
      parse: parseCanary,
    },
    "--alarm NAME...": {
      description:
        "Roll back the update if this CloudWatch alarm is triggered; requires --canary " +
        "(repeatable)",
      onlyWith: "--canary",
      hint: "Add --canary PERCENT: an alarm can roll back only a canary update",
      parse: parseAlarm,
    },
  }),
  "--execution-role": {
    ...executionRole["--execution-role"],
    description: "IAM role that SageMaker assumes (default for a new endpoint: the role of " +
      "--iam-role-arn)",
    needed: undefined,
  },
  ...environmentOptions,
  "--tag": {
    ...environmentOptions["--tag"],
    description: "AWS tag for the endpoint; for the image's tag, use --docker-tag (repeatable)",
  },
  "--kms-key": {
    ...environmentOptions["--kms-key"],
    description: "KMS key that encrypts the instances' disks and the captured data",
  },
  "--no-wait": { description: "Return as soon as SageMaker starts the deployment" },
  "--timeout DURATION": {
    rare: true,
    description: `Maximum time to wait for the deployment (default: ${DEPLOY_SECONDS / 60}m)`,
    key: true,
    excludes: ["--no-wait"],
    hint: "Wait for the endpoint later: mlcli wait NAME",
    parse: parseTimeLimit,
  },
  ...startOptions,
});
