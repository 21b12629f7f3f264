/** Debian's `aws`, with which the cloud commands are compared. */

import { ensurePrograms } from "../engine/debian.ts";

/** Where Debian's package `awscli` puts it. Another one may come before it in PATH. */
export const AWS = "/usr/bin/aws";

/** Nothing of the machine's own AWS settings. */
export const NO_SETTINGS = {
  AWS_CONFIG_FILE: "/dev/null",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
} as const;

/** @returns false where it is not there, and cannot be installed. */
export async function ensureAws(signal: AbortSignal): Promise<boolean> {
  return await ensurePrograms([AWS], ["awscli"], signal);
}
