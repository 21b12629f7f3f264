/**
 * Amazon SageMaker Runtime: InvokeEndpoint and InvokeEndpointWithResponseStream, which are REST.
 */

import { ACCOUNT, REGION } from "../account.ts";
import { type BoxRequest, type Permission, Refused } from "../service.ts";
import { checkInput } from "../validation.ts";
import type { Endpoint } from "./endpoint.ts";
import { type EndpointStore, SCRIPTED_INSTANCE } from "./endpoint_store.ts";
import { eventStream, ModelStreamBreak } from "./event_stream.ts";
import { arnOf } from "./resource.ts";
import { forwarded, INVOCATION_RULE, INVOCATIONS, PREFIX, restAnswer } from "./rest.ts";

/** The largest body, in bytes; of a serverless endpoint. */
const LARGEST_BODY = 25 * 1024 * 1024;
const LARGEST_SERVERLESS_BODY = 4 * 1024 * 1024;
/** Of a model's error, so many characters stand in `Message`. */
const LONGEST_QUOTE = 1_024;

/** SageMaker Runtime. */
export class Invocations {
  constructor(
    private readonly store: EndpointStore,
    private readonly runner?: EndpointRunner,
  ) {}

  /** Whether it has that operation. */
  has(operation: string): boolean {
    return INVOCATIONS[operation] !== undefined;
  }

  permission({ operation, input }: BoxRequest): Permission {
    return { action: `sagemaker:${operation}`, resource: arnOf("endpoint", input.EndpointName) };
  }

  /** @throws Refused */
  async handle({ operation, input, body }: BoxRequest): Promise<Response> {
    if (body.length > LARGEST_BODY) return tooLarge();
    const { Body: _body, ...said } = input;
    checkInput(INVOCATION_RULE, said, "ValidationError");
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

  /** That serves: before, and after, the runtime knows nothing of it. Here, the case matters. */
  #endpoint(name: string): Endpoint {
    const endpoint = this.store.endpoints.get(name);
    const isServing = endpoint?.name === name && !["Creating", "Failed", "Deleting", "OutOfService"]
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

/** Asks the test. @throws InvocationTimeout */
export async function invokeScripted(
  store: EndpointStore,
  invocation: Invocation,
): Promise<Invoked> {
  const { endpoint, targetVariant } = invocation;
  const variant = targetVariant ?? endpoint.variants[0]!.name;
  const stream = endpoint.logStream(SCRIPTED_INSTANCE, variant);
  const said = await store.answer(invocation);
  const { status = 200, contentType, body = "", parts = [body], breaks, customAttributes } = said;
  if (status === 0) throw new InvocationTimeout(stream);
  const left = parts.map((part) =>
    typeof part === "string" ? new TextEncoder().encode(part) : part
  );
  const content = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const next = left.shift();
      if (next) controller.enqueue(next);
      else if (breaks) controller.error(new ModelStreamBreak(breaks));
      else controller.close();
    },
  });
  const headers = {
    ...(contentType === undefined ? {} : { "content-type": contentType }),
    ...(customAttributes === undefined
      ? {}
      : { "x-amzn-sagemaker-custom-attributes": customAttributes }),
  };
  return { answer: new Response(content, { status, headers }), variant, stream };
}

/** A request to a model, checked, of an endpoint that is there and serves. */
export interface Invocation {
  readonly endpoint: Endpoint;
  /** `X-Amzn-SageMaker-Target-Variant` */
  readonly targetVariant: string | undefined;
  /**
   * What its container gets besides what the runner adds: `content-type`, `accept`,
   * `x-amzn-sagemaker-custom-attributes`, ... in small letters.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Whether the answer goes on while it comes: InvokeEndpointWithResponseStream. */
  readonly isStreamed: boolean;
}

/** Who answered, and what. */
export interface Invoked {
  /** The container's, as it is; the box makes a ModelError of a status that is not 2xx. */
  readonly answer: Response;
  readonly variant: string;
  /** The log stream of the instance: `AllTraffic/i-...`. */
  readonly stream: string;
}

/** The container did not answer in SageMaker's time. */
export class InvocationTimeout extends Error {
  override name = "InvocationTimeout";
  constructor(readonly stream: string) {
    super("The container did not answer in time");
  }
}

/** Makes endpoints run. The first three return at once. */
export interface EndpointRunner extends AsyncDisposable {
  /**
   * After CreateEndpoint: serves `endpoint.current`, then calls `endpoint.settle()`, or
   * `endpoint.fail(reason)`.
   */
  start(endpoint: Endpoint): void;
  /**
   * After UpdateEndpoint, in Updating: serves `endpoint.pending`, then `endpoint.settle()`, or
   * `endpoint.rollBack(reason)`; before that perhaps `endpoint.enter("RollingBack")`.
   */
  update(endpoint: Endpoint): void;
  /** After DeleteEndpoint, in Deleting: ends all, then `endpoint.settle()`. Also of a Failed one. */
  delete(endpoint: Endpoint): void;
  /** Asks a container. @throws InvocationTimeout */
  invoke(invocation: Invocation): Promise<Invoked>;
}
