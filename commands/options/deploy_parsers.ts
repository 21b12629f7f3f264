/**
 * What the options of `deploy` take, checked by SageMaker's limits.
 *
 * @module
 */

import type { ModelSource } from "../../runtime/cloud/deploy/request.ts";
import { checkDeployedName } from "../../runtime/contract/names.ts";
import {
  ALARMS,
  CAPTURE_URI_LENGTH,
  HEALTH_CHECK_SECONDS,
  LARGEST_CANARY,
  lengthOf,
  SERVERLESS,
} from "../../runtime/contract/limits.ts";
import { parseS3Uri, type S3Address } from "../../runtime/contract/addresses.ts";
import { UsageError } from "../../runtime/errors.ts";
import { parseAddress, wholeNumber } from "./job_parsers.ts";
import type { Parser } from "./option.ts";

/** The name of an endpoint, short enough for the names of its configurations. */
export function parseEndpointName(text: string): string {
  checkDeployedName(text);
  return text;
}

/** `s3://BUCKET/KEY`, an archive, or a directory of this machine. */
export function parseModel(text: string, source: string): ModelSource {
  if (!/^[a-z][a-z\d+.-]+:\//i.test(text)) return { directory: text };
  const address = parseS3Uri(text);
  if (address !== undefined && address.key !== "" && !address.key.endsWith("/")) return { address };
  const message =
    `${source} must be an archive in S3, such as s3://my-bucket/churn/model.tar.gz, ` +
    `or a directory of this machine, but got "${text}".`;
  throw new UsageError(message, {
    hint: address === undefined
      ? "mlcli train prints the address of its archive; mlcli wait JOB prints it again."
      : "What lies below an address is no model: SageMaker takes one file, model.tar.gz.",
  });
}

/** The memory of a serverless endpoint, in MB. */
export function parseMemorySize(text: string, source: string): number {
  const { least, most, step } = SERVERLESS;
  const size = Number(text);
  if (/^\d{1,9}$/.test(text) && size >= least && size <= most && size % step === 0) return size;
  throw new UsageError(
    `${source} must be a number of MB, ${least} to ${most} in steps of ${step}, ` +
      `but got "${text}".`,
  );
}

/** How many requests a serverless endpoint answers at once. */
export const parseConcurrency: Parser<number> = wholeNumber(SERVERLESS.mostAtOnce);

/** How long a container may take until it answers /ping, in seconds. */
export const parseHealthCheck: Parser<number> = wholeNumber(
  HEALTH_CHECK_SECONDS.most,
  "seconds",
  HEALTH_CHECK_SECONDS.least,
);

/** The part of an endpoint that is updated first, in percent. */
export const parseCanary: Parser<number> = wholeNumber(LARGEST_CANARY, "percent");

/** Where requests and answers are kept. */
export function parseCapture(text: string, source: string): S3Address {
  const address = parseAddress(text, source);
  if (lengthOf(text) <= CAPTURE_URI_LENGTH) return address;
  throw new UsageError(
    `${source} must be an address of up to ${CAPTURE_URI_LENGTH} characters, ` +
      `but has ${lengthOf(text)}.`,
  );
}

/** The name of an alarm of CloudWatch. */
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
