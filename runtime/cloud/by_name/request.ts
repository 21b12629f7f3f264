/**
 * What every command is asked for about something that it knows by its name alone.
 *
 * @module
 */

import { JOB_KINDS, type JobKind } from "../../contract/jobs.ts";
import type { CloudChoice } from "../connection.ts";
import { KIND_WORDS as JOB_WORDS } from "../jobs/job.ts";

/** What a name may be of. */
export type Kind = JobKind | "endpoint";

/** The kinds, in the order in which they are told. */
export const KINDS = [...JOB_KINDS, "endpoint"] as const satisfies readonly Kind[];

/** The kinds, for messages: `training job`. */
export const KIND_WORDS: Readonly<Record<Kind, string>> = { ...JOB_WORDS, endpoint: "endpoint" };

/** Which one. */
export interface NamedRequest {
  readonly choice: CloudChoice;
  readonly name: string;
  /** All kinds are asked without one. */
  readonly kind: Kind | undefined;
}
