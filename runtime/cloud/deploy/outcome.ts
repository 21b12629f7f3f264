/**
 * What has become of an endpoint that was to serve something new. `InService` alone is no success: an
 * update that fails is taken back, often without a word.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import { AwsError } from "../../aws/errors.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { endpointGoesOn } from "../endpoints/parts.ts";
import { whatIsKnown } from "../endpoints/wait_for_endpoint.ts";
import type { FollowedEndpoint } from "../endpoints/follow_endpoint.ts";
import { commandFor } from "../jobs/commands.ts";

/** What was waited for. */
export interface Awaited {
  readonly endpoint: string;
  readonly isNew: boolean;
  /** When, by the platform's clock, what is to be served was made. */
  readonly since: Date | undefined;
  /** In seconds. */
  readonly timeout: number;
  readonly choice: AwsOptions;
}

/** The error for an endpoint that does not serve what was asked for. */
export async function failureOf(
  { outcome, description }: FollowedEndpoint,
  awaited: Awaited,
  aws: Pick<Aws, "logs">,
): Promise<AwsError> {
  const { endpoint, isNew, since, timeout, choice } = awaited;
  const status = description?.status ?? "not there";
  if (outcome === "not yet") {
    return new AwsError("other", `Not done after ${timeout} s: endpoint ${endpoint} (${status})`, {
      hint: `${endpointGoesOn(endpoint, choice)} --timeout waits longer.`,
    });
  }
  if (outcome === "gone") {
    return new AwsError("not found", `Endpoint ${endpoint} was deleted meanwhile`, {
      hint: "Somebody else did that. The same command makes it anew.",
    });
  }
  const known = await whatIsKnown(endpoint, { description, began: since }, aws, choice);
  const rest = outcome === "rolled back"
    ? "It serves what it served before."
    : isNew
    ? undefined
    : `${commandFor(endpoint, choice)("describe")} shows what it serves.`;
  return new AwsError("failed", title(endpoint, isNew, outcome, status), {
    quote: known.quote,
    hint: [known.cause, known.log, rest].filter((part) => part).join(" "),
  });
}

function title(
  endpoint: string,
  isNew: boolean,
  outcome: FollowedEndpoint["outcome"],
  status: string,
): string {
  if (outcome === "rolled back") return `Endpoint ${endpoint} was not updated: it was rolled back`;
  return isNew
    ? `Endpoint ${endpoint} was not created: it has failed`
    : `Endpoint ${endpoint} was not updated: it is ${status}`;
}

/** The error where somebody else deployed at the same time. */
export function deployedByAnother(endpoint: string, choice: AwsOptions): AwsError {
  return new AwsError("changed", `Somebody else deployed to ${endpoint} at the same time`, {
    hint:
      `It serves theirs. ${commandFor(endpoint, choice)("describe")} shows what; deploy again ` +
      "to have it serve yours.",
  });
}
