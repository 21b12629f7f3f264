/**
 * What of a job is to be paid, in words.
 *
 * @module
 */

import type { CloudJob } from "./job.ts";

/**
 * The time that is billed: `3 min 20 s x 2 ml.m5.large = 6 min 40 s billed; spot saved 70 %`.
 * Of processing SageMaker tells only how long it ran. `undefined` where it tells nothing.
 */
export function billWords(job: CloudJob): string | undefined {
  const { billableSeconds, trainingSeconds, instanceCount, instanceType = "" } = job;
  const seconds = billableSeconds ?? ranFor(job);
  if (seconds === undefined) return undefined;
  const machines = `${instanceCount} ${instanceType}`.trim();
  const all = instanceCount > 1 ? ` = ${secondsText(seconds * instanceCount)}` : "";
  const how = billableSeconds === undefined ? "" : " billed";
  const saved = job.isSpot && billableSeconds !== undefined && trainingSeconds
    ? `; spot saved ${Math.round(100 * (1 - billableSeconds / trainingSeconds))} %`
    : "";
  return `${secondsText(seconds)} x ${machines}${all}${how}${saved}`;
}

function ranFor({ startTime, endTime }: CloudJob): number | undefined {
  if (!startTime || !endTime) return undefined;
  return Math.ceil((endTime.getTime() - startTime.getTime()) / 1000);
}

/** `45 s`, `3 min 20 s`, `2 h 5 min` */
export function secondsText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  return hours > 0
    ? `${hours} h ${minutes % 60} min`
    : `${minutes} min${seconds % 60 ? ` ${seconds % 60} s` : ""}`;
}
