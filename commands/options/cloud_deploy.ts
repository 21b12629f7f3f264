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
import { dryRun, environmentOptions, executionRole, imageAndAccount } from "./cloud_job.ts";
import { parseAddress, parseInstances, parseInstanceType } from "./job_parsers.ts";
import { options, type Parser } from "./option.ts";
import { serverProgramOptions } from "./program.ts";
import { parseSeconds, wholeNumber } from "./parsers.ts";
import { outputFormat, progressOptions } from "./shared.ts";

export function parseEndpointName(text: string): string {
  checkDeployedName(text);
  return text;
}

/** `s3://BUCKET/KEY`, an archive, `s3://BUCKET/PREFIX/`, or a directory of this machine. */
export function parseModel(text: string, source: string): ModelSource {
  if (!/^[a-z][a-z\d+.-]+:\//i.test(text)) return { directory: text };
  const address = parseS3Uri(text);
  if (address !== undefined && address.key !== "") return { address };
  const message =
    `${source} must be an archive in S3, such as s3://my-bucket/churn/model.tar.gz, a prefix ` +
    `that ends with /, or a directory of this machine, but got "${text}".`;
  throw new UsageError(message, {
    hint: "mlcli train prints the address of its archive; mlcli wait JOB prints it again.",
  });
}

export function parseMemorySize(text: string, source: string): number {
  const { least, most, step } = SERVERLESS;
  const size = Number(text);
  if (/^\d{1,9}$/.test(text) && size >= least && size <= most && size % step === 0) return size;
  throw new UsageError(
    `${source} must be a number of MB, ${least} to ${most} in steps of ${step}, ` +
      `but got "${text}".`,
  );
}

export const parseConcurrency: Parser<number> = wholeNumber(SERVERLESS.mostAtOnce);

export function parseAmiVersion(text: string, source: string): string {
  if (/^[a-z][a-z\d.-]{0,62}$/i.test(text)) return text;
  throw new UsageError(
    `${source} must be such as al2-ami-sagemaker-inference-gpu-3-1, but got "${text}".`,
  );
}

export const parseHealthCheck: Parser<number> = wholeNumber(
  HEALTH_CHECK_SECONDS.most,
  "seconds",
  HEALTH_CHECK_SECONDS.least,
);

export const parseCanary: Parser<number> = wholeNumber(LARGEST_CANARY, "percent");

export function parseCapture(text: string, source: string): S3Address {
  const address = parseAddress(text, source);
  if (lengthOf(text) <= CAPTURE_URI_LENGTH) return address;
  throw new UsageError(
    `${source} must be an address of up to ${CAPTURE_URI_LENGTH} characters, ` +
      `but has ${lengthOf(text)}.`,
  );
}

export function parseAlarm(text: string, source: string): string {
  const [, name] = /^arn:[^:]*:cloudwatch:[^:]*:[^:]*:alarm:(.+)$/.exec(text) ?? [];
  const isName = text.trim() !== "" && lengthOf(text) <= ALARMS.nameLength &&
    !/\p{Cc}/u.test(text);
  if (isName && name === undefined) return text;
  throw new UsageError(
    `${source} must be the name of an alarm, up to ${ALARMS.nameLength} characters, ` +
      `but got "${text}".`,
    name === undefined ? {} : { hint: `The name in that ARN is "${name}".` },
  );
}

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
      "Model: an archive s3://BUCKET/.../model.tar.gz, uncompressed files s3://BUCKET/.../, or a " +
      "local directory, which is packed, tried and uploaded. An existing image may need none.",
    key: true,
    needed: true,
    path: (model: ModelSource) => "directory" in model ? model.directory : undefined,
    parse: parseModel,
  },
  "--run": {
    value: "name",
    description: "Run on this machine whose model to deploy; last is the newest that has one.",
    completion: "model-run",
  },
  ...serverProgramOptions,
  "--repack": {
    description: "Put the code into an archive of more than 1 GB without asking.",
  },
  "--ec2-type": {
    short: "-e",
    alias: "--instance-type",
    value: "type",
    description: "Instance type, such as ml.m5.large. A new endpoint needs this or " +
      "--memory-size-in-mb.",
    key: true,
    completion: "instance-type",
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
    description: "Make the endpoint serverless, with this memory: 1024, 2048, ... 6144.",
    key: true,
    parse: parseMemorySize,
  },
  "--max-concurrency": {
    value: "number",
    description: "If serverless, how many requests at once. Default of a new endpoint: 5.",
    key: true,
    parse: parseConcurrency,
  },
  "--inference-ami-version": {
    value: "version",
    description: "Machine image of the instances, with their GPU drivers, such as " +
      "al2-ami-sagemaker-inference-gpu-3-1.",
    key: true,
    parse: parseAmiVersion,
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
  ...environmentOptions,
  "--tag": {
    ...environmentOptions["--tag"],
    description: "KEY=VALUE, an AWS tag for the endpoint (not the image's). May be repeated.",
  },
  "--kms-key": {
    ...environmentOptions["--kms-key"],
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
  ...outputFormat,
  ...progressOptions,
  ...imageAndAccount,
});
