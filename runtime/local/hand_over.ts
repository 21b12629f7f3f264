/**
 * What a run wrote, given to the caller at its end, whatever that was.
 *
 * @module
 */

import { isSystemError, messageOf, MlcliError } from "../errors.ts";
import { warningText } from "../text.ts";
import type { Host, Waiting } from "./jobs.ts";
import { handToCaller, type Owners } from "./ownership.ts";

/** Without a word. */
const SILENTLY: Waiting = (_, work) => work;

/** Gives it to the caller, and returns warnings. A failure here is only one, too: how the run ended matters more. */
export async function handOver(
  image: string,
  before: Owners | undefined,
  host: Pick<Host, "engine" | "interruption" | "waiting">,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  const warn = (message: string, hint?: string) => warnings.push(warningText(message, hint));
  if (before === undefined) return warnings;
  try {
    const engine = await host.engine();
    let found = 0;
    const work = handToCaller(engine, image, before, warn, host.interruption.force, (files) => {
      found = files;
    });
    const words = () => found === 0 ? "Looking at what the run wrote" : givingWords(found);
    await (host.waiting ?? SILENTLY)(words, work);
  } catch (error) {
    if (!(error instanceof MlcliError || isSystemError(error))) throw error;
    warn(messageOf(error), error instanceof MlcliError ? error.hint : undefined);
  }
  return warnings;
}

function givingWords(files: number): string {
  return `Making ${files === 1 ? "1 file" : `${files} files`} of the run yours`;
}
