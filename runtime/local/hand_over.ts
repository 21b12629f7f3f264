/**
 * What a run wrote, given to the caller at its end, whatever that was.
 *
 * @module
 */

import { isSystemError, messageOf, MlcliError } from "../errors.ts";
import { warningText } from "../text.ts";
import type { Host } from "./jobs.ts";
import { handToCaller, type Owners } from "./ownership.ts";

/** Gives it to the caller, and returns warnings. A failure here is only one, too: how the run ended matters more. */
export async function handOver(
  image: string,
  before: Owners | undefined,
  host: Host,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  const warn = (message: string, hint?: string) => warnings.push(warningText(message, hint));
  if (before === undefined) return warnings;
  try {
    await handToCaller(await host.engine(), image, before, warn, host.interruption.force);
  } catch (error) {
    if (!(error instanceof MlcliError || isSystemError(error))) throw error;
    warn(messageOf(error), error instanceof MlcliError ? error.hint : undefined);
  }
  return warnings;
}
