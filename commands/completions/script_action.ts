/**
 * What `mlcli completions bash` does, and the same for the other shells.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import { completionScript, type Shell } from "../cliffy/completions.ts";
import type { Call } from "../command.ts";

/** Prints the script for a shell. */
export async function scriptAction(
  context: Context,
  { shell }: { readonly shell: Shell },
  { root }: Call,
): Promise<void> {
  context.out.print(await completionScript(shell, root, context));
}
