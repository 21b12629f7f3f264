/**
 * What every command about one job is asked for.
 *
 * @module
 */

import type { JobKind } from "../../contract/jobs.ts";
import type { CloudChoice } from "../connection.ts";

/** Which job. */
export interface JobRequest {
  readonly choice: CloudChoice;
  readonly name: string;
  /** All kinds are asked without one. */
  readonly kind: JobKind | undefined;
}
