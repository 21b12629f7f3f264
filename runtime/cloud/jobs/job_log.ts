/**
 * The log of a job: of all its hosts.
 *
 * @module
 */

import type { Logs } from "../../aws/logs.ts";
import { hostOf, LOG_GROUPS, streamPrefix } from "../../contract/log_lines.ts";
import { LogReader } from "../log_reader.ts";
import type { CloudJob } from "./job.ts";

/** Whose log, and from when. */
export interface LogOf extends Pick<CloudJob, "kind" | "name" | "instanceCount"> {
  /** Leaves out what was written before. */
  readonly since?: Date;
}

/** A job's log, read piece by piece. */
export class JobLog extends LogReader {
  constructor(logs: Logs, { kind, name, instanceCount, since }: LogOf) {
    super(logs, {
      group: LOG_GROUPS[kind],
      streamPrefix: streamPrefix(name),
      since,
      prefixOf: (stream) => instanceCount > 1 ? `${hostOf(stream)}: ` : "",
    });
  }
}
