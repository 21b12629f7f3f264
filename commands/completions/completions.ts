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

const LOAD = "mlcli completions powershell | Out-String | Invoke-Expression";

const powershellCommand: Command = command({
  options: {},
  examples: [["For this shell; in the file that $PROFILE names, for every one", LOAD]],
  action: async () => {
    const { POWERSHELL_SCRIPT } = await import("./powershell.ts");
    return (context) => Promise.resolve(context.out.print(POWERSHELL_SCRIPT));
  },
});

/** Answers PowerShell's script, which gives the words before the one that is completed. */
const candidatesCommand: Command = command({
  options: options({ "[-- words...]": {} }),
  action: async () => {
    const { candidates } = await import("./powershell.ts");
    return async (context, { words }, { root }) => {
      const found = await candidates(words, root, context);
      context.out.print(found.map((value) => `${value}\n`).join(""));
    };
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
    powershell: {
      summary: "Print the script for PowerShell.",
      load: () => powershellCommand,
    },
    complete: {
      summary: "",
      load: () => completeCommand,
      isHidden: true,
    },
    candidates: {
      summary: "",
      load: () => candidatesCommand,
      isHidden: true,
    },
  },
};
