/**
 * What a deletion of an endpoint is asked for with.
 *
 * @module
 */

import type { AwsOptions } from "../../aws/settings.ts";
import type { LookReport } from "./other_users.ts";

/** What to delete. */
export interface DeletionRequest {
  readonly endpoint: string;
  /** Delete its configurations too. */
  readonly withConfiguration: boolean;
  /** Delete the models too that mlcli made for it. */
  readonly withModel: boolean;
  /** Whether the caller is going to wait, which needs the permission to describe the endpoint. */
  readonly wait: boolean;
  /** The options of the command, for command lines to paste. */
  readonly choice: AwsOptions;
}

/** Tells the user what happens. */
export type DeletionReport = LookReport;
