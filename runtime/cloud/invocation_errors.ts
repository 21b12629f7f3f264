/**
 * What went wrong with a request to an endpoint, with the way out.
 *
 * @module
 */

import { type AwsError, isRefusal, withHint } from "../aws/errors.ts";
import { ModelRefusal } from "../aws/model_errors.ts";
import type { EndpointDescription } from "../aws/sagemaker.ts";
import { MlcliError } from "../errors.ts";
import { refusalWords, typeHint } from "../invocation/invocation.ts";
import type { CloudChoice } from "./connection.ts";
import { commandFor, type JobCommand } from "./jobs/commands.ts";

/** What was asked, and who can say more. */
export interface FailedInvocation {
  readonly endpoint: string;
  readonly contentType: string;
  readonly stream: boolean;
  readonly choice: CloudChoice;
  /** @throws AwsError where the endpoint is not there, or may not be described. */
  readonly describe: () => Promise<EndpointDescription>;
}

/** The error to show. What has nothing to do with the endpoint stays as it is. */
export async function explainInvocation(
  error: unknown,
  failed: FailedInvocation,
): Promise<unknown> {
  const command = commandFor(failed.endpoint, failed.choice);
  if (error instanceof ModelRefusal) return ofModel(error, failed, command);
  if (isRefusal(error, "not found")) return await notThere(error, failed, command);
  if (isRefusal(error, "no answer")) return withHint(error, tooSlowHint(failed, command));
  if (isRefusal(error, "broken off")) return withHint(error, brokenOffHint(failed, command));
  return error;
}

/** The model's own refusal, in its words. */
function ofModel(
  { status, text, logStream, message }: ModelRefusal,
  failed: FailedInvocation,
  command: JobCommand,
): MlcliError {
  const { endpoint, contentType } = failed;
  const log = `Its log: ${command("logs")}${streamIn(logStream)}.`;
  if (status === 0) {
    // The service's own words: it waited, and the model did not answer.
    return new MlcliError(`The model of endpoint ${endpoint} did not answer`, {
      quote: text || message,
      hint: tooSlowHint(failed, command),
    });
  }
  const words = refusalWords(
    text,
    `HTTP ${status} of the model of endpoint ${endpoint}`,
    `The model of endpoint ${endpoint} answered HTTP ${status}`,
  );
  const type = typeHint(status, contentType);
  return new MlcliError(words.message, {
    quote: words.quote,
    hint: type === undefined ? log : `${type} ${log}`,
  });
}

/** ` (log stream AllTraffic/i-0123456789)`: one of the machines, where the service says which. */
function streamIn(arn: string | undefined): string {
  const stream = arn?.split(":log-stream:")[1];
  return stream ? ` (log stream ${stream})` : "";
}

/** The service says 'not found' also of what is not in service: the other half of AWS knows more. */
async function notThere(
  error: AwsError,
  { endpoint, describe }: FailedInvocation,
  command: JobCommand,
): Promise<MlcliError> {
  let found: EndpointDescription;
  try {
    found = await describe();
  } catch {
    // There is none, or nobody may look: what is known is that it cannot be asked.
    return error;
  }
  const { status, failureReason } = found;
  return new MlcliError(`Endpoint ${endpoint} is not in service: ${status}`, {
    quote: failureReason,
    hint: HINTS[status]?.(command) ?? `mlcli wait shows when it is: ${command("wait")}.`,
  });
}

const HINTS: Readonly<Record<string, (command: JobCommand) => string>> = {
  Failed: (command) => `It never will be. Its log: ${command("logs")}.`,
  Deleting: () => "It is being deleted: mlcli list-endpoints shows what else there is.",
  InService: () => "It has been for a moment only: try again.",
};

function tooSlowHint({ stream }: FailedInvocation, command: JobCommand): string {
  const time = stream
    ? "A model has 8 minutes for a whole stream."
    : "A model has 60 seconds for a whole answer; --stream gives 8 minutes to one that sends its " +
      "answer piece by piece.";
  return `${time} What it does: ${command("logs")}.`;
}

function brokenOffHint({ stream }: FailedInvocation, command: JobCommand): string {
  const size = stream ? "" : " (An answer that is larger than 25 MB ends like this, too.)";
  return `The model may have worked nevertheless: the request was not sent again.${size} ` +
    `What happened there: ${command("logs")}.`;
}
