/**
 * Amazon SageMaker Runtime: InvokeEndpoint and InvokeEndpointWithResponseStream, which are REST.
 *
 * @module
 */

import { ACCOUNT, REGION } from "../../aws_answers.ts";
import { required, structure, text } from "../rules.ts";
import { type BoxRequest, type Permission, Refused } from "../service.ts";
import { checkInput, type Structure } from "../validation.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint_store.ts";
import { eventStream } from "./event_stream.ts";
import { arnOf } from "./resource.ts";
import {
  type EndpointRunner,
  type Invocation,
  InvocationTimeout,
  type Invoked,
} from "./running.ts";
import { invokeScripted } from "./scripted.ts";

/** The largest body, in bytes; of a serverless endpoint. */
const LARGEST_BODY = 6 * 1024 * 1024;
const LARGEST_SERVERLESS_BODY = 4 * 1024 * 1024;
/** Of a model's error, so many characters stand in `Message`. */
const LONGEST_QUOTE = 1_024;

const header = text({ max: 1_024, pattern: /\p{ASCII}*/u });
const printable = /\S[\x20-\x7e]*/;
const name = text({ max: 63, pattern: /[a-zA-Z0-9](-*[a-zA-Z0-9])*/ });

const RULE = structure({
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
  SessionId: text({ max: 256, pattern: /NEW_SESSION|[a-zA-Z0-9](-*[a-zA-Z0-9])*/ }),
});

/** By operation: the end of its path, and the header that says what is accepted. */
const OPERATIONS: Readonly<Record<string, { readonly path: string; readonly accept: string }>> = {
  InvokeEndpoint: { path: "invocations", accept: "accept" },
  InvokeEndpointWithResponseStream: {
    path: "invocations-response-stream",
    accept: "x-amzn-sagemaker-accept",
  },
};

const PREFIX = "x-amzn-sagemaker-";
const HEADERS: Readonly<Record<string, string>> = {
  ContentType: "content-type",
  CustomAttributes: `${PREFIX}custom-attributes`,
  TargetModel: `${PREFIX}target-model`,
  TargetVariant: `${PREFIX}target-variant`,
  TargetContainerHostname: `${PREFIX}target-container-hostname`,
  InferenceId: `${PREFIX}inference-id`,
  EnableExplanations: `${PREFIX}enable-explanations`,
  InferenceComponentName: `${PREFIX}inference-component`,
  SessionId: `${PREFIX}session-id`,
};

/** Whether a path is one of SageMaker Runtime's. */
export function isInvocation(path: string): boolean {
  return path.startsWith("/endpoints/");
}

/** What such a request asks for; `undefined` where there is no such operation. */
export function invocationOf(
  path: string,
  headers: Headers,
): Pick<BoxRequest, "operation" | "input"> | undefined {
  const [, endpoint = "", end = ""] = /^\/endpoints\/([^/]*)\/([^/]*)$/.exec(path) ?? [];
  const found = Object.entries(OPERATIONS).find(([, one]) => one.path === end);
  if (!found) return undefined;
  const [operation, { accept }] = found;
  const named = { ...HEADERS, Accept: accept };
  const given = Object.entries(named).flatMap(([member, name]) => {
    const value = headers.get(name);
    return value === null ? [] : [[member, value]];
  });
  const input = { EndpointName: decodeURIComponent(endpoint), ...Object.fromEntries(given) };
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

/** SageMaker Runtime. */
export class Invocations {
  readonly #rule: Structure = RULE;

  constructor(
    private readonly store: EndpointStore,
    private readonly runner?: EndpointRunner,
  ) {}

  /** Whether it has that operation. */
  has(operation: string): boolean {
    return OPERATIONS[operation] !== undefined;
  }

  permission({ operation, input }: BoxRequest): Permission {
    return { action: `sagemaker:${operation}`, resource: arnOf("endpoint", input.EndpointName) };
  }

  /** @throws Refused */
  async handle({ operation, input, body }: BoxRequest): Promise<Response> {
    if (body.length > LARGEST_BODY) return tooLarge();
    checkInput(this.#rule, input, "ValidationError");
    const endpoint = this.#endpoint(input.EndpointName);
    checkTarget(endpoint, input, body.length);
    const isStreamed = operation === "InvokeEndpointWithResponseStream";
    const invocation: Invocation = {
      ...{ endpoint, isStreamed, targetVariant: input.TargetVariant },
      headers: forwarded(input),
      body: new Uint8Array(body),
    };
    try {
      const invoked = this.runner
        ? await this.runner.invoke(invocation)
        : await invokeScripted(this.store, invocation);
      if (!invoked.answer.ok) return await modelError(endpoint, invoked);
      return isStreamed ? streamedAnswer(invoked) : await wholeAnswer(endpoint, invoked);
    } catch (error) {
      if (!(error instanceof InvocationTimeout)) throw error;
      return modelErrorAnswer(
        endpoint,
        0,
        "Your invocation timed out while waiting for a response from container primary. Review " +
          "the latency metrics for each container in Amazon CloudWatch, resolve the issue, and " +
          "try again.",
      );
    }
  }

  /** That serves: before, and after, the runtime knows nothing of it. */
  #endpoint(name: string): Endpoint {
    const endpoint = this.store.endpoints.get(name);
    const isServing = endpoint && !["Creating", "Failed", "Deleting", "OutOfService"]
      .includes(endpoint.status);
    if (isServing) return endpoint;
    throw new Refused("ValidationError", `Endpoint ${name} of account ${ACCOUNT} not found.`);
  }
}

function checkTarget(endpoint: Endpoint, input: BoxRequest["input"], length: number): void {
  const { TargetVariant: wanted, TargetModel } = input;
  const refuse = (message: string): never => {
    throw new Refused("ValidationError", message);
  };
  if (endpoint.variants[0]?.isServerless && length > LARGEST_SERVERLESS_BODY) {
    refuse(`Request ${crypto.randomUUID()} has oversize body.`);
  }
  if (wanted !== undefined && !endpoint.variants.some(({ name }) => name === wanted)) {
    refuse(`Variant ${wanted} of endpoint ${endpoint.name} of account ${ACCOUNT} not found.`);
  }
  if (TargetModel !== undefined) refuse("TargetModel is supported for multi-model endpoints only.");
  if (endpoint.current.configuration.request.AsyncInferenceConfig) {
    refuse(`Endpoint ${endpoint.name} is asynchronous: use InvokeEndpointAsync.`);
  }
}

/** What the container gets. */
function forwarded(input: BoxRequest["input"]): Readonly<Record<string, string>> {
  const named: Readonly<Record<string, string>> = { ...HEADERS, Accept: "accept" };
  return Object.fromEntries(
    Object.entries(input).flatMap(([member, value]) =>
      named[member] === undefined || member === "TargetVariant" ? [] : [[named[member], value]]
    ),
  );
}

function metadata({ answer, variant }: Invoked, contentType: string): Record<string, string> {
  const type = answer.headers.get("content-type");
  const attributes = answer.headers.get(`${PREFIX}custom-attributes`);
  return {
    "x-amzn-invoked-production-variant": variant,
    ...(type === null ? {} : { [contentType]: type }),
    ...(attributes === null ? {} : { [`${PREFIX}custom-attributes`]: attributes }),
  };
}

async function wholeAnswer(endpoint: Endpoint, invoked: Invoked): Promise<Response> {
  let body: Uint8Array<ArrayBuffer>;
  try {
    body = new Uint8Array(await invoked.answer.arrayBuffer());
  } catch {
    return modelErrorAnswer(endpoint, invoked.answer.status, undefined);
  }
  return new Response(body, { headers: metadata(invoked, "content-type") });
}

function streamedAnswer(invoked: Invoked): Response {
  const parts = invoked.answer.body ?? new Blob().stream();
  return new Response(eventStream(parts), {
    headers: {
      "content-type": "application/vnd.amazon.eventstream",
      ...metadata(invoked, `${PREFIX}content-type`),
    },
  });
}

async function modelError(endpoint: Endpoint, { answer }: Invoked): Promise<Response> {
  const text = await answer.text().catch(() => undefined);
  return modelErrorAnswer(endpoint, answer.status, text);
}

/** A long text is not quoted. */
function modelErrorAnswer(endpoint: Endpoint, code: number, said: string | undefined): Response {
  const side = code >= 400 && code < 500 ? "client" : "server";
  const what = said !== undefined && said.length <= LONGEST_QUOTE
    ? `with message "${said}"`
    : "and could not load the entire response body";
  const message = `Received ${side} error (${code}) from primary ${what}. See ` +
    `https://${REGION}.console.aws.amazon.com/cloudwatch/home?region=${REGION}` +
    `#logEventViewer:group=${endpoint.logGroup} in account ${ACCOUNT} for more information.`;
  return restAnswer({ code: "ModelError", message, status: 424 }, {
    LogStreamArn: `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${endpoint.logGroup}`,
    OriginalMessage: said?.slice(0, 2_048) ?? "",
    OriginalStatusCode: code,
  });
}

/** What stands before the service says it, and so without a code. */
function tooLarge(): Response {
  const message = `HTTP content length exceeded ${LARGEST_BODY} bytes.`;
  return new Response(JSON.stringify({ message }), {
    status: 413,
    headers: { "content-type": "application/json" },
  });
}

function restAnswer(
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
