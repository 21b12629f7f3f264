/**
 * `mlcli completions bash`, and the same for the other shells.
 *
 * @module
 */

import type { Shell } from "../cliffy/completions.ts";
import { type Command, command } from "../command.ts";

/**
 * Prints the script for a shell.
 *
 * @param use the file that the shell reads at its start, and the line that reads the script.
 */
export function scriptCommand(
  shell: Shell,
  use: { readonly file: string; readonly line: string },
): Command {
  return command({
    options: {},
    examples: [[`For this shell; in ${use.file}, for every one`, use.line]],
    action: async () => {
      const { scriptAction } = await import("./script_action.ts");
      return (context, _options, call) => scriptAction(context, { shell }, call);
    },
  });
}
