/**
 * The `completions` group: scripts that make a shell complete mlcli's command lines. They ask
 * `mlcli completions complete` for the values that only mlcli knows.
 */

import type { Shell } from "../cliffy/completions.ts";
import { type Command, command, type Group } from "../command.ts";
import { options } from "../options/option.ts";

/** @param line loads the script; it belongs in `file`, which the shell reads when it starts. */
function scriptCommand(shell: Shell, file: string, line: string): Command {
  return command({
    options: {},
    examples: [[`For this shell; in ${file}, for every one`, line]],
    action: async () => {
      const { completionScript } = await import("../cliffy/completions.ts");
      return async (context, _options, { root }) =>
        context.out.print(await completionScript(shell, root, context));
    },
  });
}

/** Answers a script, which gives the kind of value and the words of the command. */
const completeCommand: Command = command({
  options: options({ "<kind>": {}, "[command...]": {} }),
  action: async () => {
    const { answerCompletion } = await import("../cliffy/completions.ts");
    return (context, { kind, command }, { root }) =>
      answerCompletion([kind, ...command], root, context);
  },
});

/** `mlcli completions` with a command a shell. */
export const completionsGroup: Group = {
  options: {},
  commands: {
    bash: {
      summary: "Print the script for bash.",
      load: () => scriptCommand("bash", "~/.bashrc", "source <(mlcli completions bash)"),
    },
    zsh: {
      summary: "Print the script for zsh.",
      load: () => scriptCommand("zsh", "~/.zshrc", "source <(mlcli completions zsh)"),
    },
    fish: {
      summary: "Print the script for fish.",
      load: () => scriptCommand("fish", "config.fish", "mlcli completions fish | source"),
    },
    complete: {
      summary: "",
      load: () => completeCommand,
      isHidden: true,
    },
  },
};
