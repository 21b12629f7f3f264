/**
 * The `completions` group: scripts that make a shell complete mlcli's command lines. They ask
 * `mlcli completions complete` for the values that only mlcli knows.
 *
 * @module
 */

import type { Group } from "../command.ts";
import { completeCommand } from "./complete.ts";
import { scriptCommand } from "./script.ts";

/** `mlcli completions` with a command a shell. */
export const completionsGroup: Group = {
  options: {},
  commands: {
    bash: {
      summary: "Print the script for bash.",
      load: () =>
        scriptCommand("bash", {
          file: "~/.bashrc",
          line: "source <(mlcli completions bash)",
        }),
    },
    zsh: {
      summary: "Print the script for zsh.",
      load: () =>
        scriptCommand("zsh", {
          file: "~/.zshrc",
          line: "source <(mlcli completions zsh)",
        }),
    },
    fish: {
      summary: "Print the script for fish.",
      load: () =>
        scriptCommand("fish", {
          file: "config.fish",
          line: "mlcli completions fish | source",
        }),
    },
    complete: {
      summary: "",
      load: () => completeCommand,
      isHidden: true,
    },
  },
};
