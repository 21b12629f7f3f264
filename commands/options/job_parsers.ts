/** Parsers for the options of jobs and endpoints on SageMaker, with its limits. */

import type { TransformModel } from "../../runtime/cloud/transform/plan.ts";
import { parseRemoteChannel, type RemoteChannel } from "../../runtime/contract/channels.ts";
import type { InstanceGroup } from "../../runtime/contract/instances.ts";
import type { ProgramKind, Role } from "../../runtime/contract/jobs.ts";
import { checkBaseJobName } from "../../runtime/contract/names.ts";
import { parseData, type PlacedData, type Side } from "../../runtime/contract/processing_data.ts";
import { isRoleArn, parseS3Uri, type S3Address } from "../../runtime/contract/addresses.ts";
import {
  isResourceName,
  isTagText,
  KMS_KEY,
  LARGEST_VOLUME,
  lengthOf,
  LONGEST_RUN,
  MOST_INSTANCES,
  NETWORK,
  NETWORK_ID,
  S3_URI_LENGTH,
  TAGS,
} from "../../runtime/contract/limits.ts";
import {
  type NamedRepository,
  parseRepository,
  REPOSITORY_EXPECTED,
} from "../../runtime/contract/registry.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { Parser } from "./option.ts";
import { duration, matching, parsed, size, wholeNumber } from "./parsers.ts";

/** `ml.m5.large`. The service knows which there are: they change every month. */
export function parseInstanceType(text: string, source: string): string {
  if (/^ml(\.[a-z0-9-]+){2}$/.test(text)) return text;
  const message = `${source} must be an instance type such as ml.m5.large`;
  // docker's -e.
  if (/^[A-Za-z_]\w*=/.test(text)) {
    throw new UsageError(`${message}, but got an environment variable`, {
      hint: "Set variables for your code with --env NAME=VALUE",
    });
  }
  throw new UsageError(`${message}, but got "${text}"`);
}

export function parseInstances(kind: Role): Parser<number> {
  return wholeNumber(MOST_INSTANCES[kind]);
}

/** `NAME=TYPE:NUMBER` */
export function parseInstanceGroup(text: string, source: string): InstanceGroup {
  const [, name = "", type = "", number = ""] = /^(.+)=([^=:]*):(\d{1,9})$/.exec(text) ?? [];
  const count = Number(number);
  if (count > 0) return { name, type: parseInstanceType(type, source), count };
  throw new UsageError(
    `${source} must be NAME=TYPE:NUMBER, such as gpu=ml.g5.xlarge:2, but got "${text}"`,
  );
}

export function parseVolume(kind: ProgramKind): Parser<number> {
  return size("GB", LARGEST_VOLUME[kind]);
}

export function parseRun(kind: ProgramKind): Parser<number> {
  return duration(LONGEST_RUN[kind]);
}

export function parseJobName(text: string): string {
  checkBaseJobName(text);
  return text;
}

export const parseRole: Parser<string> = matching(
  isRoleArn,
  "the ARN of a role, such as arn:aws:iam::123456789012:role/SageMakerRole",
);

/** `s3://BUCKET/KEY` */
export function parseAddress(text: string, source: string, hint?: string): S3Address {
  const address = lengthOf(text) > S3_URI_LENGTH ? undefined : parseS3Uri(text);
  const expected = "an S3 URI such as s3://my-bucket/churn";
  return parsed(() => address, expected, hint)(text, source);
}

/** A name, or `s3://BUCKET/KEY`, an archive. */
export const parseTransformModel: Parser<TransformModel> = parsed(
  (text) => {
    if (isResourceName(text)) return { name: text };
    const address = parseS3Uri(text);
    return address !== undefined && /[^/]$/.test(address.key) ? { address } : undefined;
  },
  "the name of a SageMaker model or an S3 URI such as s3://my-bucket/churn/model.tar.gz",
  "To use a local model, run mlcli local transform",
);

/** `[CHANNEL=]s3://BUCKET/KEY` */
export function parseChannelAddress(text: string, source: string): RemoteChannel {
  const channel = lengthOf(text) > S3_URI_LENGTH ? undefined : parseRemoteChannel(text);
  const hint = text.includes("s3://")
    ? 'Use 1 to 64 letters, digits, ".", "_" and "-" for CHANNEL, and 3 to 63 lower-case ' +
      'letters, digits, "." and "-" for BUCKET'
    : "Upload the data with mlcli upload-data, or train locally: " +
      "mlcli local train --input CHANNEL=DIR";
  return parsed(() => channel, "[CHANNEL=]s3://BUCKET/PREFIX", hint)(text, source);
}

/** `s3://...`, or `NAME=s3://...` at `/opt/ml/processing/input/NAME`, or `NAME:PATH=s3://...` */
export function parseDataAddress(side: Side): Parser<PlacedData<S3Address | undefined>> {
  return (text, source) => {
    const { place, ...data } = parseData(text, side, source);
    return { ...data, place: place === undefined ? undefined : parseAddress(place, source) };
  };
}

export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** `KEY=VALUE`, of which the value may be empty. */
export function parseAwsTag(text: string, source: string): Tag {
  const end = text.indexOf("=");
  const [key, value] = [text.slice(0, Math.max(0, end)), text.slice(end + 1)];
  if (end < 0) {
    throw new UsageError(`${source} must be an AWS tag, KEY=VALUE, but got "${text}"`, {
      hint: "To choose the image's tag, use -t or --docker-tag",
    });
  }
  const isTag = key !== "" && isTagText(key) && isTagText(value) &&
    lengthOf(key) <= TAGS.keyLength && lengthOf(value) <= TAGS.valueLength;
  if (isTag && !/^aws:/i.test(key)) return { key, value };
  throw new UsageError(
    `${source} must be KEY=VALUE of letters, digits, spaces and _.:/=+-@ (VALUE: up to ` +
      `${TAGS.valueLength}; KEY: up to ${TAGS.keyLength}, not starting with aws:), but got "${text}"`,
  );
}

/** `subnet-0a1b2c3d`, `sg-0a1b2c3d` */
export const parseNetworkId: Parser<string> = matching(
  (text) => NETWORK_ID.test(text) && text.length <= NETWORK.idLength,
  `an ID of up to ${NETWORK.idLength} letters, digits and "-"`,
);

export const parseKmsKey: Parser<string> = matching(KMS_KEY, "the ID, ARN or alias of a KMS key");

export const parseRepositoryName: Parser<NamedRepository> = parsed(
  parseRepository,
  REPOSITORY_EXPECTED,
);
