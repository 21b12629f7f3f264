/** Asks the box as a program of AWS's would, without the SDK: JSON 1.1 and S3's REST, signed. */

import { type AccessKey, REGION, USER_KEY } from "./account.ts";
import { encoded, sha256, signatureOf } from "../sigv4.ts";
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
  const answer = await sendSigned(box, {
    ...{ service, method: "POST", target: "/", key, body: JSON.stringify(input) },
    headers: {
      "x-amz-target": `${PREFIXES[service]}.${operation}`,
      "content-type": "application/x-amz-json-1.1",
    },
  });
  const text = await answer.text();
  const json = text === "" ? {} : JSON.parse(text);
  return { status: answer.status, error: answer.ok ? undefined : json.__type, body: json };
}

/** What to ask an endpoint, besides its name. */
export interface InvocationQuestion {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** InvokeEndpointWithResponseStream */
  readonly isStreamed?: boolean;
  readonly key?: AccessKey;
}

/** Asks an endpoint's model. */
export async function invokeEndpoint(
  box: Box,
  name: string,
  { body = "", headers = {}, isStreamed = false, key }: InvocationQuestion = {},
): Promise<Response> {
  const end = isStreamed ? "invocations-response-stream" : "invocations";
  // Of a text, fetch would say what type it is.
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return await sendSigned(box, {
    ...{ service: "sagemaker", method: "POST", body: bytes, headers, key },
    target: `/endpoints/${encoded(name)}/${end}`,
  });
}

/** What S3 answered. */
export interface S3Answered {
  readonly status: number;
  /** The code; `undefined` where it went well, or where nothing is said. */
  readonly error: string | undefined;
  readonly text: string;
  readonly headers: Headers;
}

/** What to ask S3 besides the address. */
export interface S3Question {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly key?: AccessKey;
  readonly region?: string;
}

/** Asks S3 about `BUCKET` or `BUCKET/KEY`. */
export async function askS3(
  box: Box,
  method: string,
  path: string,
  { query = {}, headers = {}, body = "", key, region }: S3Question = {},
): Promise<S3Answered> {
  const fields = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const answer = await sendSigned(box, {
    ...{ service: "s3", method, body, key, region },
    target: `/${encoded(path, "/")}${fields.length === 0 ? "" : `?${fields.join("&")}`}`,
    headers: { "x-amz-content-sha256": sha256(body), ...headers },
  });
  const text = await answer.text();
  const error = answer.ok ? undefined : /<Code>(\w+)</.exec(text)?.[1];
  return { status: answer.status, error, text, headers: answer.headers };
}

/** A request without its signature. */
export interface Unsigned {
  readonly service: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly key?: AccessKey;
  readonly region?: string;
}

/** Signs a request, and sends it. */
export async function sendSigned(
  box: Box,
  { service, method, target, headers: given, body, key = USER_KEY, region = REGION }: Unsigned,
): Promise<Response> {
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const headers = new Headers({
    host: new URL(box.url).host,
    "x-amz-date": date,
    ...(key.token ? { "x-amz-security-token": key.token } : {}),
    ...given,
  });
  const scope = {
    accessKeyId: key.id,
    date: date.slice(0, 8),
    region,
    service,
    signedHeaders: [...headers.keys()].sort(),
    signature: "",
  };
  const signature = signatureOf(scope, key.secret, { method, target, headers, body });
  headers.set(
    "authorization",
    `AWS4-HMAC-SHA256 Credential=${key.id}/${scope.date}/${region}/${service}/aws4_request, ` +
      `SignedHeaders=${scope.signedHeaders.join(";")}, Signature=${signature}`,
  );
  headers.delete("host");
  const hasBody = method !== "GET" && method !== "HEAD";
  return await fetch(`${box.url}${target}`, {
    ...{ method, headers, redirect: "manual" },
    ...(hasBody ? { body } : {}),
  });
}
