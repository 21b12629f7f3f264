import { messageOf } from "../errors.ts";
import { ConnectionError } from "./connection_error.ts";
import { AwsError } from "./errors.ts";

/** What the SDK puts on the errors of SageMaker Runtime; none of it is certain to be there. */
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
  /** What the model answered; 0 where it did not in time. */
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

export interface Asked {
  readonly endpoint: string;
  /** How long the model may take, in seconds. */
  readonly seconds: number;
}

/** Explains what is about the model; whatever else was thrown stays as it is. */
export function modelError(error: unknown, asked: Asked): unknown {
  const { name, $metadata } = (error ?? {}) as RuntimeError;
  const words = wordsOf(error);
  if (name === "ModelError") return new ModelRefusal(error as RuntimeError, words);
  if (name === "ModelNotReadyException") return notReady(asked, words);
  if ($metadata?.httpStatusCode === 413 || TOO_LARGE.test(words)) return tooLarge(asked, words);
  if (name === "ModelStreamError" || name === "InternalStreamFailure") {
    return brokenStream(asked, error as RuntimeError, words);
  }
  if (error instanceof ConnectionError) return lost(asked, error);
  return error;
}

function notReady({ endpoint }: Asked, quote: string): AwsError {
  return new AwsError("throttled", `Endpoint ${endpoint} has not loaded its model yet`, {
    hint: "A serverless endpoint starts a machine for the first request, one with several models " +
      "loads a model when it is asked for. Try again in a minute.",
    quote,
  });
}

function tooLarge({ endpoint }: Asked, quote: string): AwsError {
  return new AwsError("other", `The request's body is too large for endpoint ${endpoint}`, {
    hint: "A serverless endpoint takes 4 MB, others 25 MB: send less at once.",
    quote,
  });
}

function brokenStream(asked: Asked, { name, ErrorCode }: RuntimeError, words: string): AwsError {
  if (ErrorCode === "ModelInvocationTimeExceeded") return tooSlow(asked, words);
  return brokenOff(asked, `${ErrorCode ?? name}: ${words}`);
}

/** The model took too long: by the service's clock, or by ours. */
function tooSlow({ endpoint, seconds }: Asked, quote?: string): AwsError {
  return new AwsError("no answer", `Endpoint ${endpoint} did not answer within ${seconds} s`, {
    quote,
  });
}

/** What may have reached the model, and got no whole answer; the rest concerns the network alone. */
function lost(asked: Asked, error: ConnectionError): AwsError | ConnectionError {
  const words = wordsOf(error);
  if (error.failure === "time limit" && words.startsWith("No answer")) return tooSlow(asked);
  if (error.failure !== "broken off") return error;
  return brokenOff(asked, words);
}

/** The same for an error of a stream that has begun; one without a name: it cannot be read. */
export function streamError(error: unknown, asked: Asked): unknown {
  const explained = modelError(error, asked);
  if (explained !== error || error instanceof ConnectionError) return explained;
  return brokenOff(asked, wordsOf(error));
}

function brokenOff({ endpoint }: Asked, quote: string): AwsError {
  return new AwsError("broken off", `The answer of endpoint ${endpoint} breaks off`, { quote });
}

/** What an error says, without what the SDK adds for who programs with it. */
function wordsOf(error: unknown): string {
  return messageOf(error).replace(/\n {2}Deserialization error: [\s\S]*$/, "");
}
