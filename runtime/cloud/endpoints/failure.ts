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
  const reason = description?.failureReason ?? "";
  const { lines, denial } = await endOfEndpointLog(name, aws, { began });
  const cause = likelyCause({ kind: "serve", reason, log: lines });
  const more = denial !== undefined
    ? `Its log may not be read: ${denial}.`
    : lines.length === 0
    ? "It wrote no log."
    : `${commandFor(name, choice)("logs")} shows its whole log.`;
  const remedy = description?.status === "Failed"
    ? `It can only be deleted: ${removalOf(name, choice)}.`
    : outcome === "rolled back"
    ? "It still serves. Once the cause is gone, deploy again."
    : "";
  return new MlcliError(`Endpoint ${inOneLine(name)} ${whatHappened(outcome, description)}`, {
    quote: [
      printable(reason || "SageMaker gave no reason."),
      ...lines.length > 0 ? ["", "The end of its log:", ...lines] : [],
    ].join("\n"),
    hint: [cause?.words, remedy, more].filter((part) => part).join(" "),
  });
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
