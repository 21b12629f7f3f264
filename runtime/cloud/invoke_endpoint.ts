import type { Aws } from "../aws/aws.ts";
import { type AwsError, isRefusal, withHint } from "../aws/errors.ts";
import { ModelRefusal } from "../aws/model_errors.ts";
import type { EndpointDescription } from "../aws/sagemaker.ts";
import type { ModelRequest } from "../aws/sagemaker_runtime.ts";
import type { AwsOptions } from "../aws/settings.ts";
import type { Context } from "../context.ts";
import { type InvocationFields, requireStreamed } from "../contract/invocations.ts";
import { BODY_BYTES, INVOCATION_SECONDS, STREAM_SECONDS } from "../contract/limits.ts";
import { checkEndpointName } from "../contract/names.ts";
import { MlcliError, UsageError } from "../errors.ts";
import {
  answerNotes,
  PrintedAnswer,
  readBody,
  refusalWords,
  typeHint,
  type UnreadBody,
} from "../invocation/invocation.ts";
import { sentences } from "../text.ts";
import { abortOf } from "../time.ts";
import { type CloudChoice, type CloudHost, connectToAws } from "./connection.ts";
import { commandFor, type JobCommand } from "./jobs/job.ts";

/** Settings of `mlcli invoke-endpoint`, under the names of their options. */
export interface EndpointInvocation extends CloudChoice {
  readonly endpointName: string;
  readonly body: UnreadBody;
  readonly accept: string | undefined;
  readonly fields: InvocationFields;
  /** Whether to print each part of the response when the model sends it. */
  readonly stream: boolean;
}

export type InvocationHost = CloudHost & Pick<Context, "out" | "err">;

/**
 * Sends the body, and prints the response byte for byte. Retries only if the model cannot have received the
 * request.
 *
 * @throws UsageError for headers that no endpoint accepts, before anything is sent; MlcliError for a refusal
 * of the model or of SageMaker, and for a missing or incomplete response.
 */
export async function invokeEndpoint(
  invocation: EndpointInvocation,
  host: InvocationHost,
): Promise<void> {
  checkEndpointName(invocation.endpointName);
  if (invocation.stream) requireStreamed(invocation.fields);
  const aws = await connectToAws(invocation, host);
  // Raced: the signal alone would not end the wait for standard input, or for a reader that has stopped
  // reading.
  const { signal } = host.interruption;
  const printed = new PrintedAnswer(host);
  try {
    await Promise.race([converse(invocation, aws, host, printed), abortOf(signal)]);
  } finally {
    printed.endLine();
  }
}

async function converse(
  invocation: EndpointInvocation,
  aws: Aws,
  host: InvocationHost,
  printed: PrintedAnswer,
): Promise<void> {
  const { endpointName: endpoint, accept, fields, stream } = invocation;
  const runtime = await aws.runtime();
  const { bytes, contentType } = await readBody(invocation.body, BODY_BYTES, tooLargeError);
  const seconds = stream ? STREAM_SECONDS : INVOCATION_SECONDS;
  const request: ModelRequest = { endpoint, seconds, body: bytes, contentType, accept, fields };
  try {
    const answer = await (stream ? runtime.stream(request) : runtime.invoke(request));
    await printed.print(answer.body);
    printed.endLine();
    for (const text of answerNotes(answer)) host.messages.note(text);
  } catch (error) {
    host.interruption.signal.throwIfAborted();
    throw await explainInvocation(error, {
      ...invocation,
      contentType,
      describe: async () => await (await aws.sagemaker()).describeEndpoint(endpoint),
    });
  }
}

function tooLargeError(): UsageError {
  return new UsageError("The request body is larger than 25 MB, the limit of endpoints", {
    hint: "Send fewer rows in each request, or score the whole file with mlcli transform",
  });
}

export interface FailedInvocation
  extends AwsOptions, Pick<EndpointInvocation, "endpointName" | "stream"> {
  /** Content type of the request. */
  readonly contentType: string;
  /** @throws AwsError if the endpoint does not exist or cannot be described. */
  readonly describe: () => Promise<EndpointDescription>;
}

/** The error to show. One that is not about the endpoint stays as it is. */
export async function explainInvocation(
  error: unknown,
  failed: FailedInvocation,
): Promise<unknown> {
  const command = commandFor(failed.endpointName, failed);
  if (error instanceof ModelRefusal) return modelRefusalError(error, failed, command);
  if (isRefusal(error, "not found")) return await notInServiceError(error, failed, command);
  if (isRefusal(error, "no answer")) return withHint(error, tooSlowHint(failed, command));
  if (isRefusal(error, "broken off")) return withHint(error, brokenOffHint(failed, command));
  return error;
}

function modelRefusalError(
  { status, text, logStream, message }: ModelRefusal,
  failed: FailedInvocation,
  command: JobCommand,
): MlcliError {
  const { endpointName, contentType } = failed;
  const log = `See the endpoint's log: ${command("logs")}${streamIn(logStream)}`;
  if (status === 0) {
    // The service's own words: it waited, and the model did not answer.
    return new MlcliError(`The model of endpoint ${endpointName} did not respond`, {
      quote: text || message,
      hint: tooSlowHint(failed, command),
    });
  }
  const words = refusalWords(
    text,
    `HTTP ${status} from the model of endpoint ${endpointName}`,
    `The model of endpoint ${endpointName} returned HTTP ${status}`,
  );
  return new MlcliError(words.message, {
    quote: words.quote,
    hint: sentences(typeHint(status, contentType), log),
  });
}

/** ` (log stream AllTraffic/i-0123456789)`: one of the machines, where the service says which. */
function streamIn(arn: string | undefined): string {
  const stream = arn?.split(":log-stream:")[1];
  return stream ? ` (log stream ${stream})` : "";
}

/** The service says 'not found' also of an endpoint that is not in service: this one is described. */
async function notInServiceError(
  error: AwsError,
  { endpointName: endpoint, describe }: FailedInvocation,
  command: JobCommand,
): Promise<MlcliError> {
  let found: EndpointDescription;
  try {
    found = await describe();
  } catch {
    // There is none, or it may not be described.
    return error;
  }
  const { status, failureReason } = found;
  return new MlcliError(`Endpoint ${endpoint} was not in service (its status is now ${status})`, {
    quote: failureReason,
    hint: HINTS[status]?.(command) ?? `Wait for the endpoint: ${command("wait")}`,
  });
}

const HINTS: Readonly<Record<string, (command: JobCommand) => string>> = {
  Failed: (command) => `Find the cause in its log: ${command("logs")}`,
  Deleting: () => "Choose another endpoint: mlcli list-endpoints",
  InService: () => "Try again: the endpoint has just come into service",
};

function tooSlowHint({ stream }: FailedInvocation, command: JobCommand): string {
  const time = stream
    ? "SageMaker stops a stream after 8 min."
    : "SageMaker waits 60 s for a response, or 8 min with --stream if the model streams it.";
  return `${time} See the endpoint's log: ${command("logs")}`;
}

function brokenOffHint({ stream }: FailedInvocation, command: JobCommand): string {
  const size = stream ? "" : " A response larger than 25 MB also causes this error.";
  return "The model might have processed the request, so mlcli did not retry it." +
    `${size} See the endpoint's log: ${command("logs")}`;
}
