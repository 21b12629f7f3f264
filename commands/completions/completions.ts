/** The `completions` group: scripts that make a shell complete mlcli's command lines. */

import { type Command, command, type Group, type Member } from "../command.ts";
import { options } from "../options/option.ts";
import type { SCRIPTS } from "./scripts.ts";

/** @param line loads the script; it belongs in `file`, which the shell reads when it starts. */
function scriptOf(shell: keyof typeof SCRIPTS, name: string, file: string, line: string): Member {
  const declared = command({
    options: {},
    examples: [[`Load it in this shell; for new shells, add this line to ${file}`, line]],
    action: async ({ out }) => {
      const { SCRIPTS } = await import("./scripts.ts");
      out.print(SCRIPTS[shell]);
    },
  });
  return {
    summary: `Print the completion script for ${name}`,
    load: () => Promise.resolve({ default: declared }),
  };
}

/** Answers a script, which gives the words before the one that is completed. */
const completeCommand: Command = command({
  options: options({ "[-- words...]": {} }),
  action: async (context, { words }, { root }) => {
    const { candidates } = await import("./candidates.ts");
    for (const { word, description } of await candidates(words, root, context)) {
      context.out.print(description === undefined ? `${word}\n` : `${word}\t${description}\n`);
    }
  },
});

/** `mlcli completions` with a command a shell. */
const completionsGroup: Group = {
  options: {},
  commands: {
    bash: scriptOf("bash", "bash", "~/.bashrc", "source <(mlcli completions bash)"),
    zsh: scriptOf("zsh", "zsh", "~/.zshrc", "source <(mlcli completions zsh)"),
    fish: scriptOf("fish", "fish", "config.fish", "mlcli completions fish | source"),
    powershell: scriptOf(
      "powershell",
      "PowerShell",
      "$PROFILE",
      "mlcli completions powershell | Out-String | Invoke-Expression",
    ),
    complete: {
      summary: "",
      load: () => Promise.resolve({ default: completeCommand }),
      isHidden: true,
    },
  },
};

export default completionsGroup;
