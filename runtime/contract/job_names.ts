/**
 * The names of jobs: of a job on the platform, which its code sees, and of the container of a local
 * run.
 *
 * @module
 */

import { UsageError } from "../errors.ts";
import type { JobKind } from "./jobs.ts";
import { isResourceName, NAME_LENGTH } from "./limits.ts";

/**
 * A name for a new job on the platform: `churn-2026-03-01-09-30-00-123`. It is made as by the
 * SageMaker Python SDK (`sagemaker.utils.name_from_base`): base, time to the millisecond, and of the
 * base what there is room for. What a name cannot have, such as `_` and `.`, becomes a hyphen.
 *
 * @param base the app's name, or one that `checkBaseJobName` accepts.
 * @param time in UTC as `toISOString` writes it: `2026-03-01T09:30:00.123Z`.
 */
export function platformJobName(base: string, time: string): string {
  const stamp = time.replace(/\D+$/, "").replace(/\D+/g, "-");
  const start = base.replace(/[^a-zA-Z0-9]/g, "-").replace(/^-+/, "")
    .slice(0, NAME_LENGTH - stamp.length - 1).replace(/-+$/, "");
  return start === "" ? stamp : `${start}-${stamp}`;
}

/** @throws UsageError when no job's name can begin like that. */
export function checkBaseJobName(base: string): void {
  if (isResourceName(base)) return;
  throw new UsageError(`Job name not valid: "${base}"`, {
    hint: `A name has 1 to ${NAME_LENGTH} letters, digits and hyphens, ` +
      "with no hyphen at its start or end.",
  });
}

/** @throws UsageError when no job can have that name. */
export function checkJobName(name: string): void {
  if (isResourceName(name)) return;
  throw new UsageError(`No job is called "${name}"`, {
    hint: `A name has 1 to ${NAME_LENGTH} letters, digits and hyphens, ` +
      "with no hyphen at its start or end. mlcli list-jobs shows those that there are.",
  });
}

/** @throws UsageError when no job's name could contain the text. */
export function checkJobNamePart(part: string): void {
  if (part.length <= NAME_LENGTH && /^[a-zA-Z0-9-]+$/.test(part)) return;
  throw new UsageError(`No job's name contains "${part}"`, {
    hint: `Names have at most ${NAME_LENGTH} letters, digits and hyphens.`,
  });
}

/** What tells two containers of an app apart: the start of a UUID. */
const SUFFIX = /^[0-9a-f]{8}$/;

/** A name for the container of a new local job: `mlcli-churn-train-1a2b3c4d`. */
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
