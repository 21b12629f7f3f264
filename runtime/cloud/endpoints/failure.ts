/**
 * The error for an endpoint that has not become what it was to be.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { likelyCause } from "../../contract/failure_causes.ts";
import { MlcliError } from "../../errors.ts";
import { inOneLine, printable } from "../../text.ts";
import { commandFor } from "../jobs/commands.ts";
import { removalOf } from "./commands.ts";
import { endOfEndpointLog } from "./endpoint_log.ts";
import type { SettledEndpoint } from "./settled.ts";

/**
 * Says what happened: the service's reason, the end of the log of the instances that began since then,
 * the likely cause, and what to do.
 * @param choice the options of the command, for command lines to paste.
 */
export async function endpointFailure(
  name: string,
  { outcome, description, began }: SettledEndpoint,
  aws: Pick<Aws, "logs">,
  choice: AwsOptions,
): Promise<MlcliError> {
  if (outcome === "gone") {
    return new MlcliError(`Endpoint ${inOneLine(name)} is gone: it was deleted`, {
      hint: "mlcli deploy makes it anew.",
    });
  }
  const { quote, cause, log } = await whatIsKnown(name, { description, began }, aws, choice);
  const remedy = description?.status === "Failed"
    ? `It can only be deleted: ${removalOf(name, choice)}.`
    : outcome === "rolled back"
    ? "It still serves. Once the cause is gone, deploy again."
    : "";
  return new MlcliError(`Endpoint ${inOneLine(name)} ${whatHappened(outcome, description)}`, {
    quote,
    hint: [cause, remedy, log].filter((part) => part).join(" "),
  });
}

/** What can be told of an endpoint that is not as it was to be. */
export interface Known {
  /** SageMaker's reason, and the end of the log of the instances that began since then. */
  readonly quote: string;
  /** The likely cause, and what to do about it: sentences. */
  readonly cause: string | undefined;
  /** How to see more of the log: a sentence. */
  readonly log: string;
}

/** Finds out what can be told of a failure, of the log only of instances that `began` since then. */
export async function whatIsKnown(
  name: string,
  { description, began }: Pick<SettledEndpoint, "description" | "began">,
  aws: Pick<Aws, "logs">,
  choice: AwsOptions,
): Promise<Known> {
  const reason = description?.failureReason ?? "";
  const { lines, denial } = await endOfEndpointLog(name, aws, { began });
  return {
    quote: [
      printable(reason || "SageMaker gave no reason."),
      ...lines.length > 0 ? ["", "The end of its log:", ...lines] : [],
    ].join("\n"),
    cause: likelyCause({ kind: "serve", reason, log: lines })?.words,
    log: denial !== undefined
      ? `Its log may not be read: ${denial}.`
      : lines.length === 0
      ? `${began ? "Its new instances" : "Its instances"} wrote no log.`
      : `${commandFor(name, choice)("logs")} shows its whole log.`,
  };
}

function whatHappened(
  outcome: SettledEndpoint["outcome"],
  description: SettledEndpoint["description"],
): string {
  if (outcome === "rolled back") {
    const serves = inOneLine(description?.configuration ?? "");
    return `was rolled back: it serves what it served before (${serves})`;
  }
  const status = inOneLine(description?.status ?? "");
  return status === "Failed" ? "failed" : `is ${status}`;
}
