/**
 * The engine's clock: its machine may be another than mlcli's, or a virtual one that has slept.
 *
 * @module
 */

/** What an answer tells its time by, in ms: whole seconds, and the way here. */
const INEXACT = 2_000;

/**
 * By how much the engine's clock is ahead of this machine's, in ms, by the `Date` of an answer (RFC 9110,
 * 6.6.1) that has just come. 0 where that is less than the answer tells, or where it does not say.
 */
export function aheadOf(headers: Headers, now = Date.now()): number {
  const date = Date.parse(headers.get("Date") ?? "");
  // In the middle of the second that it names.
  const ahead = date + 500 - now;
  return Math.abs(ahead) > INEXACT ? ahead : 0;
}

/** A time that the engine says, in ISO 8601, on this machine's clock. What is no time stays. */
export function onThisClock(time: string, ahead: number): string {
  const date = Date.parse(time) - ahead;
  return ahead === 0 || Number.isNaN(date) ? time : new Date(date).toISOString();
}
