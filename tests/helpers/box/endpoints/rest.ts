/**
 * SageMaker Runtime's REST: which operation an address is, what its headers say, how errors look.
 */

import type { BoxRequest, Refused } from "../service.ts";
import { required, structure, text } from "../validation.ts";

const header = text({ max: 1_024, pattern: /\p{ASCII}*/u });
const printable = /\S[\x20-\x7e]*/;
const name = text({ max: 63, pattern: /[a-zA-Z0-9](-*[a-zA-Z0-9])*/ });

/** botocore 1.44.5, `data/sagemaker-runtime/2017-05-13/service-2.json`. */
export const INVOCATION_RULE = structure({
  EndpointName: required(name),
  ContentType: header,
  Accept: header,
  CustomAttributes: header,
  TargetModel: text({ min: 1, max: 1_024, pattern: printable }),
  TargetVariant: name,
  TargetContainerHostname: name,
  InferenceId: text({ min: 1, max: 64, pattern: printable }),
  EnableExplanations: text({ min: 1, max: 64, pattern: /.*/ }),
  InferenceComponentName: name,
  PrefixAwareId: text({ min: 1, max: 64, pattern: printable }),
  SessionId: text({ max: 256, pattern: /NEW_SESSION|[a-zA-Z0-9](-*[a-zA-Z0-9])*/ }),
});

/** By operation: the end of its path, and the header that says what is accepted. */
export const INVOCATIONS: Readonly<
  Record<string, { readonly path: string; readonly accept: string }>
> = {
  InvokeEndpoint: { path: "invocations", accept: "accept" },
  InvokeEndpointWithResponseStream: {
    path: "invocations-response-stream",
    accept: "x-amzn-sagemaker-accept",
  },
};

/** Of SageMaker's own headers. */
export const PREFIX = "x-amzn-sagemaker-";
const HEADERS: Readonly<Record<string, string>> = {
  ContentType: "content-type",
  CustomAttributes: `${PREFIX}custom-attributes`,
  TargetModel: `${PREFIX}target-model`,
  TargetVariant: `${PREFIX}target-variant`,
  TargetContainerHostname: `${PREFIX}target-container-hostname`,
  InferenceId: `${PREFIX}inference-id`,
  EnableExplanations: `${PREFIX}enable-explanations`,
  InferenceComponentName: `${PREFIX}inference-component`,
  PrefixAwareId: `${PREFIX}prefix-aware-id`,
  SessionId: `${PREFIX}session-id`,
};

/** Whether a path is one of SageMaker Runtime's. */
export function isInvocation(path: string): boolean {
  return path.startsWith("/endpoints/");
}

/** What such a request asks for, its body as bytes; `undefined` where there is no such operation. */
export function invocationOf(
  path: string,
  headers: Headers,
  body: Uint8Array,
): Pick<BoxRequest, "operation" | "input"> | undefined {
  const [, endpoint = "", end = ""] = /^\/endpoints\/([^/]*)\/([^/]*)$/.exec(path) ?? [];
  const found = Object.entries(INVOCATIONS).find(([, one]) => one.path === end);
  if (!found) return undefined;
  const [operation, { accept }] = found;
  const named = { ...HEADERS, Accept: accept };
  const given = Object.entries(named).flatMap(([member, name]) => {
    const value = headers.get(name);
    return value === null ? [] : [[member, value]];
  });
  const input = {
    EndpointName: decodeURIComponent(endpoint),
    ...Object.fromEntries(given),
    Body: body,
  };
  return { operation, input };
}

/** A refusal as SageMaker Runtime writes it: the code in a header. */
export function invocationRefusal({ code, message, status }: Refused): Response {
  return restAnswer({ code, message, status: REST_STATUS[code] ?? status });
}

/** What has another status than in JSON 1.1. */
const REST_STATUS: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  UnrecognizedClientException: 403,
  ExpiredTokenException: 403,
  ThrottlingException: 429,
};

/** What the container gets. */
export function forwarded(input: BoxRequest["input"]): Readonly<Record<string, string>> {
  const named: Readonly<Record<string, string>> = { ...HEADERS, Accept: "accept" };
  return Object.fromEntries(
    Object.entries(input).flatMap(([member, value]) =>
      named[member] === undefined || member === "TargetVariant" ? [] : [[named[member], value]]
    ),
  );
}

/** An error: its code is in a header. */
export function restAnswer(
  { code, message, status }: { code: string; message: string; status: number },
  more: Readonly<Record<string, unknown>> = {},
): Response {
  return new Response(JSON.stringify({ ...more, Message: message }), {
    status,
    headers: {
      "content-type": "application/json",
      "x-amzn-errortype": code,
      "x-amzn-requestid": "00000000-0000-0000-0000-000000000000",
    },
  });
}
