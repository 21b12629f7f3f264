/** The names of jobs and endpoints, and of an endpoint's configurations and models. */

import { UsageError } from "../errors.ts";
import type { JobKind } from "./jobs.ts";
import { isResourceName, NAME_LENGTH } from "./limits.ts";

/**
 * A name for a new job on SageMaker, as the SageMaker Python SDK makes it
 * (`sagemaker.utils.name_from_base`): `churn-2026-03-01-09-30-00-123`, with as much of the base as
 * there is room for. Characters that a name cannot have, such as `_` and `.`, become hyphens.
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

/** Whether a name is one that `platformJobName` gives. */
export function isPlatformJobName(name: string, base: string): boolean {
  const [stamp] = /\d{4}(-\d\d){5}-\d{3}$/.exec(name) ?? [];
  return stamp !== undefined && platformJobName(base, stamp) === name;
}

/** @throws UsageError when no job's name can begin like that. */
export function checkBaseJobName(base: string): void {
  checkName(base, `Invalid job name: "${base}"`);
}

/** @throws UsageError when no job can have that name. */
export function checkJobName(name: string): void {
  checkName(name, `Invalid job name: "${name}"`, "See all jobs: mlcli list-jobs");
}

/** @throws UsageError when no endpoint can have that name. */
export function checkEndpointName(name: string): void {
  checkName(name, `Invalid endpoint name: "${name}"`);
}

function checkName(name: string, message: string, hint = NAME_HINT): void {
  if (!isResourceName(name)) throw new UsageError(message, { hint });
}

const NAME_HINT =
  `Use 1 to ${NAME_LENGTH} letters, digits and hyphens, without a hyphen at the start or end`;

/** @throws UsageError when no name of such a thing could contain the text. */
export function checkNamePart(part: string, of: "job" | "endpoint"): void {
  if (part.length <= NAME_LENGTH && /^[a-zA-Z0-9-]+$/.test(part)) return;
  throw new UsageError(`No ${of} name can contain "${part}"`, {
    hint: `Use up to ${NAME_LENGTH} letters, digits and hyphens`,
  });
}

/** What tells two containers of an app apart: the start of a UUID, and the host where there are several. */
const SUFFIX = /^[0-9a-f]{8}(-algo-\d{1,4})?$/;

/** A name for the container of a new local job: `mlcli-churn-train-1a2b3c4d`. */
export function jobName(appName: string, kind: JobKind): string {
  return prefix(appName, kind) + crypto.randomUUID().slice(0, 8);
}

/** The name of a host's container, where there are several: `mlcli-churn-train-1a2b3c4d-algo-2`. */
export function hostContainerName(jobName: string, host: string): string {
  return `${jobName}-${host}`;
}

/** Whether a name is one that these two give. */
export function isJobName(name: string, appName: string, kind: JobKind): boolean {
  const start = prefix(appName, kind);
  return name.startsWith(start) && SUFFIX.test(name.slice(start.length));
}

function prefix(appName: string, kind: JobKind): string {
  return `mlcli-${appName}-${kind}-`;
}

/** The longest that `deploy` appends to an endpoint's name: for its second configuration. */
const LONGEST_SUFFIX = "-config-2";

/** How long the name of an endpoint that `deploy` makes may be. */
export const DEPLOYED_NAME_LENGTH = NAME_LENGTH - LONGEST_SUFFIX.length;

/** @throws UsageError when `deploy` cannot give an endpoint that name. */
export function checkDeployedName(name: string): void {
  checkEndpointName(name);
  if (name.length <= DEPLOYED_NAME_LENGTH) return;
  throw new UsageError(
    `Endpoint name "${name}" has ${name.length} characters, but deploy accepts up to ` +
      DEPLOYED_NAME_LENGTH,
    { hint: `Use a shorter name: mlcli adds "${LONGEST_SUFFIX}" for the endpoint configuration` },
  );
}

/** The name of an endpoint's first configuration. */
export function configurationOf(endpoint: string): string {
  return `${endpoint}-config`;
}

/** Whether the name is short enough: with `-config` it may not be. */
export function isPossibleName(name: string): boolean {
  return name.length <= NAME_LENGTH;
}

/** Names of a configuration and of the model that it serves. */
export interface Slot {
  readonly configuration: string;
  readonly model: string;
}

/**
 * The two slots of an endpoint: an update takes the free one. A model's name has `mlcli` in it, so
 * that nobody else's is taken for mlcli's.
 */
export function slotsOf(endpoint: string): readonly [Slot, Slot] {
  return [
    { configuration: configurationOf(endpoint), model: `${endpoint}-mlcli` },
    { configuration: `${configurationOf(endpoint)}-2`, model: `${endpoint}-mlcli-2` },
  ];
}

/** The names that an endpoint uses, or is about to use. */
export interface InUse {
  readonly configurations: readonly string[];
  readonly models: readonly string[];
}

/**
 * The names that are not in use. They are mostly of one slot; but a configuration that mlcli did not
 * make may use the model of the other.
 *
 * @param foreign configurations that mlcli did not make: the other name is taken first.
 */
export function freeSlot(
  endpoint: string,
  { configurations, models }: InUse,
  foreign: readonly string[] = [],
): Slot {
  const [first, second] = slotsOf(endpoint);
  const isTaken = configurations.includes(first.configuration) ||
    foreign.includes(first.configuration) && !configurations.includes(second.configuration);
  return {
    configuration: isTaken ? second.configuration : first.configuration,
    model: models.includes(first.model) ? second.model : first.model,
  };
}
