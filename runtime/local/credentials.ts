/** AWS credentials that a local run lends to the code in its container (`--aws-credentials`). */

import type { Messages } from "../messages.ts";
import type { ContainerCredentials } from "../contract/variables.ts";
import { localTimestamp } from "../time.ts";
import type { Host, LocalJob } from "./jobs.ts";
import type { Mask } from "./masked.ts";

/** Returns a mask for the secrets of lent credentials; `undefined` if the job has none. */
export async function maskOf({ credentials }: LocalJob): Promise<Mask | undefined> {
  if (credentials === undefined) return undefined;
  const { AWS_SECRET_ACCESS_KEY = "", AWS_SESSION_TOKEN = "" } = credentials.variables;
  const { Mask } = await import("./masked.ts");
  return new Mask([AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN]);
}

/** Returns the region of a run, for `AWS_REGION` and the names of jobs. */
export async function regionOf(
  { app, lender }: Pick<LocalJob, "app" | "lender">,
  host: Pick<Host, "region">,
): Promise<string> {
  return lender?.region ?? await host.region(app.configuration);
}

/** How long (ms) before credentials expire a warning appears. */
export const EXPIRY_WARNING = 5 * 60_000;

/**
 * Returns the job with credentials for a container that starts now, and prints a note about them.
 *
 * @throws MlcliError if AWS returns no credentials.
 */
export async function withCredentials<Job extends LocalJob>(
  job: Job,
  messages: Pick<Messages, "note">,
): Promise<Job> {
  const credentials = await job.lender?.lend();
  if (credentials === undefined) return job;
  const { profile, expires } = credentials;
  const until = expires === undefined ? "" : ` (valid until ${minuteOf(expires)})`;
  messages.note(`The container receives the AWS credentials of profile "${profile}"${until}`);
  return { ...job, credentials };
}

/** In ms: with a longer time, a timer ends at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Prints a warning five minutes before a server's credentials expire. Returns without one if the signal is
 * aborted earlier, or if it is unknown or weeks away when they expire.
 *
 * @param hint how to renew them.
 */
export async function warnOfExpiry(
  credentials: Partial<Pick<ContainerCredentials, "expires">> | undefined,
  { clock, messages }: Pick<Host, "clock" | "messages">,
  signal: AbortSignal,
  hint: string,
): Promise<void> {
  const { expires } = credentials ?? {};
  if (expires === undefined) return;
  const left = expires - EXPIRY_WARNING - clock.date().getTime();
  if (left > LONGEST_TIMER) return;
  await clock.pause(Math.max(0, left), signal).catch(() => {});
  if (signal.aborted) return;
  const text = `The AWS credentials of the server expire at ${minuteOf(expires)}`;
  // Nothing waits for this function.
  messages.ignoringFailures().warning(text, hint);
}

/** `2026-03-01 09:30` */
function minuteOf(time: number): string {
  return localTimestamp(new Date(time), " ").slice(0, 16);
}
