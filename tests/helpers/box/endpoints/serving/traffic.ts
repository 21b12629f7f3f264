/**
 * How an update hands the traffic over, as its `DeploymentConfig` wants it.
 *
 * @module
 */

import type { Request } from "../resource.ts";

/** How the traffic goes over. */
export interface Handover {
  /** The new instances' share of the traffic (0 to 1) after each step; the last is 1. */
  readonly shares: readonly number[];
  /** Between the steps, and after the last one while alarms are watched: in seconds. */
  readonly wait: number;
  /** Before the old instances end, in seconds. */
  readonly terminationWait: number;
  /** Alarms that make it go back. */
  readonly alarms: readonly string[];
}

/**
 * What a policy means (API: `DeploymentConfig`).
 * @param count Instances that there will be.
 */
export function handoverOf(policy: Request | undefined, count: number): Handover {
  const { BlueGreenUpdatePolicy: blueGreen, RollingUpdatePolicy: rolling } = policy ?? {};
  const routing: Request = blueGreen?.TrafficRoutingConfiguration ?? {};
  const alarms = (policy?.AutoRollbackConfiguration?.Alarms ?? [])
    .map(({ AlarmName }: Request) => AlarmName);
  return {
    shares: rolling
      ? steps(shareOf(rolling.MaximumBatchSize, count))
      : routing.Type === "CANARY"
      ? [shareOf(routing.CanarySize, count), 1]
      : routing.Type === "LINEAR"
      ? steps(shareOf(routing.LinearStepSize, count))
      : [1],
    wait: rolling?.WaitIntervalInSeconds ?? routing.WaitIntervalInSeconds ?? 0,
    terminationWait: blueGreen?.TerminationWaitInSeconds ?? 0,
    alarms,
  };
}

/** `CapacitySize` as a share. */
function shareOf(size: Request, count: number): number {
  return Math.min(1, size.Type === "INSTANCE_COUNT" ? size.Value / count : size.Value / 100);
}

function steps(share: number): readonly number[] {
  const number = Math.ceil(1 / share - 1e-9);
  return Array.from({ length: number }, (_, index) => Math.min(1, (index + 1) * share));
}
