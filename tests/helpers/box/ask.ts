/**
 * Asks the box as a program of AWS's would, without the SDK: JSON 1.1, signed.
 *
 * @module
 */

import { REGION } from "../aws_answers.ts";
import { type AccessKey, USER_KEY } from "../fake_aws.ts";
import { signatureOf } from "../sigv4.ts";
import type { Box } from "./box.ts";

const PREFIXES = {
  ecr: "AmazonEC2ContainerRegistry_V20150921",
  sagemaker: "SageMaker",
  logs: "Logs_20140328",
};

/** What the box answered. */
export interface Answered {
  readonly status: number;
  /** `undefined` where it went well. */
  readonly error: string | undefined;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** Asks; an error is an answer like others. */
export async function ask(
  box: Box,
  service: keyof typeof PREFIXES,
  operation: string,
  input: Readonly<Record<string, unknown>> = {},
  key: AccessKey = USER_KEY,
): Promise<Answered> {
  const body = JSON.stringify(input);
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const headers = new Headers({
    host: new URL(box.url).host,
    "x-amz-date": date,
    "x-amz-target": `${PREFIXES[service]}.${operation}`,
    "content-type": "application/x-amz-json-1.1",
    ...(key.token ? { "x-amz-security-token": key.token } : {}),
  });
  const scope = {
    accessKeyId: key.id,
    date: date.slice(0, 8),
    region: REGION,
    service,
    signedHeaders: [...headers.keys()].sort(),
    signature: "",
  };
  const signature = signatureOf(scope, key.secret, { method: "POST", target: "/", headers, body });
  headers.set(
    "authorization",
    `AWS4-HMAC-SHA256 Credential=${key.id}/${scope.date}/${REGION}/${service}/aws4_request, ` +
      `SignedHeaders=${scope.signedHeaders.join(";")}, Signature=${signature}`,
  );
  headers.delete("host");
  const answer = await fetch(`${box.url}/`, { method: "POST", headers, body });
  const text = await answer.text();
  const json = text === "" ? {} : JSON.parse(text);
  return { status: answer.status, error: answer.ok ? undefined : json.__type, body: json };
}
