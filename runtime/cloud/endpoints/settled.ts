/**
 * Following an endpoint until it has settled: its statuses as they change.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import type { EndpointDescription } from "../../aws/sagemaker_endpoints.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import type { FollowHost } from "../jobs/follow.ts";
import type { JobReport } from "../jobs/report.ts";

/** How an endpoint has settled. */
export type Outcome =
  /** It serves with the configuration that it was to have. */
  | "in service"
  /** It serves, with another one: the update was taken back. */
  | "rolled back"
  /** `Failed`, or another status in which the service does nothing more and that is not `InService`. */
  | "failed"
  /** It is not there any more. */
  | "gone"
  /** It has not settled in the time given. */
  | "not yet";

/** An endpoint that has settled, or is waited for no longer. */
export interface SettledEndpoint {
  readonly outcome: Outcome;
  /** As it was described last; `undefined` where it never was: it is gone. */
  readonly description: EndpointDescription | undefined;
}

/** What it is to become, and how long to wait. */
export interface SettleOptions {
  /**
   * Name of the configuration that it is to have. Without one it is that which is coming when it is
   * asked first; where none is, the one that it has.
   */
  readonly target?: string;
  /** Seconds; as long as it takes without them. */
  readonly timeout?: number;
  /** The options of the command, for command lines to paste. */
  readonly choice?: AwsOptions;
}

/**
 * Follows an endpoint until it has settled. A service that does not answer for a while is asked again.
 * Its statuses are notes, its progress a terminal's.
 *
 * @throws AwsError where it may not be described, or the credentials have expired and cannot be renewed.
 * @throws Interrupted after Ctrl-C: it goes on, and a note says how to follow and to delete it.
 */
export function followEndpoint(
  _name: string,
  _aws: Aws,
  _host: FollowHost,
  _report: Pick<JobReport, "note" | "progress">,
  _options: SettleOptions = {},
): Promise<SettledEndpoint> {
  return Promise.reject(new Error("to come within the hour"));
}
