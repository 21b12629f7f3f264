/** The `completions` group: scripts that make a shell complete mlcli's command lines. */

import { command, type Group, type Member } from "../command.ts";
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
      load: () => import("./complete.ts"),
      isHidden: true,
    },
  },
};

export default completionsGroup;
