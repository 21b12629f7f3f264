/**
 * The names of jobs.
 *
 * @module
 */

import type { JobKind } from "./jobs.ts";

/** What tells two jobs of an app apart: the start of a UUID. */
const SUFFIX = /^[0-9a-f]{8}$/;

/** A name for a new job: `mlcli-churn-train-1a2b3c4d`. */
export function jobName(appName: string, kind: JobKind): string {
  return prefix(appName, kind) + crypto.randomUUID().slice(0, 8);
}

/** Whether a name is one that `jobName` gives. */
export function isJobName(name: string, appName: string, kind: JobKind): boolean {
  const start = prefix(appName, kind);
  return name.startsWith(start) && SUFFIX.test(name.slice(start.length));
}

function prefix(appName: string, kind: JobKind): string {
  return `mlcli-${appName}-${kind}-`;
}
