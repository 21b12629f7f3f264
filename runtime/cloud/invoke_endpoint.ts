/**
 * `invoke-endpoint`: sends a request to the model of an endpoint, as `local invoke` does to one on
 * this machine.
 *
 * @module
 */

import type { Aws } from "../aws/aws.ts";
import type { ModelRequest } from "../aws/sagemaker_runtime.ts";
import type { Context } from "../context.ts";
import { checkEndpointName } from "../contract/names.ts";
import { type InvocationFields, requireStreamed } from "../contract/invocations.ts";
import { BODY_BYTES, INVOCATION_SECONDS, STREAM_SECONDS } from "../contract/limits.ts";
import { UsageError } from "../errors.ts";
import { answerNotes, PrintedAnswer, readBody, type UnreadBody } from "../invocation/invocation.ts";
import { abortOf } from "../time.ts";
import { type CloudChoice, type CloudHost, connectToAws } from "./connection.ts";
import { explainInvocation } from "./invocation_errors.ts";

/** A request to the model of an endpoint. */
export interface EndpointInvocation {
  readonly choice: CloudChoice;
  readonly endpoint: string;
  readonly body: UnreadBody;
  readonly accept: string | undefined;
  readonly fields: InvocationFields;
  /** Whether the answer is to come as the model sends it. */
  readonly stream: boolean;
}

/** Where the answer goes, besides what all cloud flows touch. */
export type InvocationHost = CloudHost & Pick<Context, "out" | "err">;

/**
 * Sends the body and passes the answer on byte for byte. It is sent once: again only where nobody
 * can have heard it.
 *
 * @param note hears what there is to know besides the answer.
 * @throws UsageError for what no endpoint takes, before anything is sent; MlcliError for a refusal,
 * the model's or the service's, and for an answer that does not come, or not whole.
 */
export async function invokeEndpoint(
  invocation: EndpointInvocation,
  host: InvocationHost,
  note: (text: string) => void,
): Promise<void> {
  checkEndpointName(invocation.endpoint);
  if (invocation.stream) requireStreamed(invocation.fields);
  const aws = await connectToAws(invocation.choice, host);
  // Raced, since the signal ends neither the wait for a body that does not come nor the wait for a
  // reader that has stopped reading.
  const { signal } = host.interruption;
  const printed = new PrintedAnswer(host);
  try {
    await Promise.race([converse(invocation, aws, host, printed, note), abortOf(signal)]);
  } finally {
    printed.endLine();
  }
}

async function converse(
  invocation: EndpointInvocation,
  aws: Aws,
  host: InvocationHost,
  printed: PrintedAnswer,
  note: (text: string) => void,
): Promise<void> {
  const { endpoint, accept, fields, stream } = invocation;
  const runtime = await aws.runtime();
  const { bytes, contentType } = await readBody(invocation.body, BODY_BYTES, tooLarge);
  const seconds = stream ? STREAM_SECONDS : INVOCATION_SECONDS;
  const request: ModelRequest = { endpoint, seconds, body: bytes, contentType, accept, fields };
  try {
    const answer = await (stream ? runtime.stream(request) : runtime.invoke(request));
    await printed.print(answer.body);
    printed.endLine();
    for (const text of answerNotes(answer)) note(text);
  } catch (error) {
    host.interruption.signal.throwIfAborted();
    throw await explainInvocation(error, {
      ...{ endpoint, contentType, stream, choice: invocation.choice },
      describe: async () => await (await aws.sagemaker()).describeEndpoint(endpoint),
    });
  }
}

function tooLarge(): UsageError {
  return new UsageError(`The request's body is larger than ${BODY_BYTES} bytes (25 MB)`, {
    hint: "An endpoint takes no more at once: send fewer rows in each request, or let " +
      "mlcli process work on the whole file.",
  });
}
