/**
 * What a record says of a run from its start.
 *
 * @module
 */

import type { JobKind } from "../../contract/jobs.ts";
import { VERSION } from "../../version.ts";
import type { BatchJob } from "../jobs.ts";
import type { RunFacts } from "./document.ts";

/** What only one kind of job has. */
export interface OwnFacts extends Partial<Pick<RunFacts, "hyperparameters" | "channels">> {
  /** By the options' names; what was not given is `undefined`, `false` or an empty list. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The facts of a run. Of variables it has the names alone: their values may be secrets. */
export function factsOf(
  kind: JobKind,
  job: BatchJob,
  container: string,
  { hyperparameters = {}, channels = {}, options }: OwnFacts,
): RunFacts {
  const given = {
    strict: job.strict,
    memory: job.memory,
    cpus: job.cpus,
    shm_size: job.shmSize,
    gpus: job.gpus,
    network: job.network,
    allow_privileges: job.allowPrivileges,
    grace: job.grace,
    interactive: job.interactive,
    ...options,
  };
  return {
    kind,
    app: job.app.name,
    mlcli: VERSION,
    container,
    hyperparameters,
    channels,
    options: Object.fromEntries(Object.entries(given).filter(([, value]) => isGiven(value))),
    variables: Object.keys(job.variables).sort(),
  };
}

function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== false;
}
