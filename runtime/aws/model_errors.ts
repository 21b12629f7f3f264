import { messageOf } from "../errors.ts";
import { ConnectionError } from "./connection_error.ts";
import { AwsError } from "./errors.ts";

/** What errors of SageMaker Runtime may have. */
interface RuntimeError {
  readonly name?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly OriginalStatusCode?: number;
  readonly OriginalMessage?: string;
  readonly LogStreamArn?: string;
  readonly ErrorCode?: string;
}

/** The model's own refusal, which the service passes on. */
export class ModelRefusal extends AwsError {
  /** The model's HTTP status; 0 where it did not answer in time. */
  readonly status: number;
  /** The body of its answer, as far as the service passes it on: 2,048 characters. */
  readonly text: string;
  /** Where its log is, where the service says it. */
  readonly logStream: string | undefined;

  constructor({ OriginalStatusCode, OriginalMessage, LogStreamArn }: RuntimeError, words: string) {
    super("other", words);
    this.status = OriginalStatusCode ?? 0;
    this.text = OriginalMessage || wordsOfModel(words);
    this.logStream = LogStreamArn || undefined;
  }
}

/**
 * What the model said, in the service's sentence about it: `Received server error (500) from primary
 * with message "TEXT". See https://... in account ... for more information.`
 */
function wordsOfModel(sentence: string): string {
  return /^Received \w+ error \(\d+\) from [^"]*? with message "([\s\S]*)"\. See https:/
    .exec(sentence)?.[1] ?? sentence;
}

/** Where the request's body is too large: the words of an instance, and of a serverless endpoint. */
const TOO_LARGE = /content length exceeded|has oversize body/;

export interface Invocation {
  readonly endpoint: string;
  /** How long the model may take, in seconds. */
  readonly seconds: number;
}

/** Explains errors about the model; others stay as they are. */
export function modelError(error: unknown, asked: Invocation): unknown {
  const { name, $metadata } = (error ?? {}) as RuntimeError;
  const words = wordsOf(error);
  if (name === "ModelError") return new ModelRefusal(error as RuntimeError, words);
  if (name === "ModelNotReadyException") return notReadyError(asked, words);
  if ($metadata?.httpStatusCode === 413 || TOO_LARGE.test(words)) {
    return tooLargeError(asked, words);
  }
  if (name === "ModelStreamError" || name === "InternalStreamFailure") {
    return brokenStreamError(asked, error as RuntimeError, words);
  }
  if (error instanceof ConnectionError) return connectionFailure(asked, error);
  return error;
}

function notReadyError({ endpoint }: Invocation, quote: string): AwsError {
  return new AwsError("throttled", `Endpoint ${endpoint} has not loaded its model yet`, {
    hint: "Try again in a minute. Serverless and multi-model endpoints load a model on its first " +
      "request.",
    quote,
  });
}

function tooLargeError({ endpoint }: Invocation, quote: string): AwsError {
  return new AwsError("other", `The request body is too large for endpoint ${endpoint}`, {
    hint: "Send fewer rows per request. Serverless endpoints accept 4 MB, others 25 MB.",
    quote,
  });
}

function brokenStreamError(
  asked: Invocation,
  { name, ErrorCode }: RuntimeError,
  words: string,
): AwsError {
  if (ErrorCode === "ModelInvocationTimeExceeded") return tooSlowError(asked, words);
  return brokenOffError(asked, `${ErrorCode ?? name}: ${words}`);
}

/** The model took too long: by the service's clock, or by ours. */
function tooSlowError({ endpoint, seconds }: Invocation, quote?: string): AwsError {
  return new AwsError("no answer", `Endpoint ${endpoint} did not respond within ${seconds} s`, {
    quote,
  });
}

/** The error for a request that may have reached the model; others are about the network alone. */
function connectionFailure(asked: Invocation, error: ConnectionError): AwsError | ConnectionError {
  const words = wordsOf(error);
  if (error.failure === "time limit" && words.startsWith("No response")) return tooSlowError(asked);
  if (error.failure !== "broken off") return error;
  return brokenOffError(asked, words);
}

/** The same for a stream that has begun; any other error counts as broken off. */
export function streamError(error: unknown, asked: Invocation): unknown {
  const explained = modelError(error, asked);
  if (explained !== error || error instanceof ConnectionError) return explained;
  return brokenOffError(asked, wordsOf(error));
}

function brokenOffError({ endpoint }: Invocation, quote: string): AwsError {
  return new AwsError("broken off", `The response from endpoint ${endpoint} ended early`, {
    quote,
  });
}

/** An error's message, without what the SDK adds for programmers. */
function wordsOf(error: unknown): string {
  return messageOf(error).replace(/\n {2}Deserialization error: [\s\S]*$/, "");
}
