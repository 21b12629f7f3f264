/** AWS credentials that a local run lends to the code in its container (`--aws-credentials`). */

import { type MessageStream, tell, warningText } from "../messages.ts";
import { type ContainerCredentials, KEY_VARIABLES } from "../contract/variables.ts";
import { type Clock, localTimestamp } from "../time.ts";
import type { LocalJob } from "./jobs.ts";

/** Credentials of a plan, which AWS isn't asked for: the names of their variables. */
export const NO_CREDENTIALS_YET: ContainerCredentials = {
  profile: "",
  variables: Object.fromEntries([...KEY_VARIABLES, "AWS_REGION"].map((name) => [name, ""])),
  expires: undefined,
};

/** How long (ms) before credentials expire a warning appears. */
export const EXPIRY_WARNING = 5 * 60_000;

/**
 * Returns the job with credentials for a container that starts now, and prints a note about them.
 *
 * @throws MlcliError if AWS gives none.
 */
export async function withCredentials<Job extends LocalJob>(
  job: Job,
  note: (text: string) => void,
): Promise<Job> {
  const credentials = await job.lendCredentials?.();
  if (credentials === undefined) return job;
  const { profile, expires } = credentials;
  const until = expires === undefined ? "" : `, valid until ${minuteOf(expires)}`;
  note(`The container gets the AWS credentials of profile "${profile}"${until}`);
  return { ...job, credentials };
}

/**
 * Prints a warning five minutes before a server's credentials expire. Returns without one if the signal is
 * aborted earlier, or if it is unknown when they expire.
 *
 * @param hint how to renew them.
 */
export async function warnOfExpiry(
  credentials: Pick<ContainerCredentials, "expires"> | undefined,
  { clock, err }: { readonly clock: Clock; readonly err: MessageStream },
  signal: AbortSignal,
  hint: string,
): Promise<void> {
  const { expires } = credentials ?? {};
  if (expires === undefined) return;
  const left = expires - EXPIRY_WARNING - clock.date().getTime();
  await clock.pause(Math.max(0, left), signal).catch(() => {});
  if (signal.aborted) return;
  tell(err, warningText(`The AWS credentials of the server expire at ${minuteOf(expires)}`, hint));
}

/** `2026-03-01 09:30` */
function minuteOf(time: number): string {
  return localTimestamp(new Date(time), " ").slice(0, 16);
}
