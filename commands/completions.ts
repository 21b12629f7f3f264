/**
 * `mlcli completions`: scripts that make a shell complete mlcli's command lines. They ask
 * `mlcli completions complete` for the values that only mlcli knows.
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import { type AnyCommand, groupCommand } from "./command.ts";

/** How each shell is made to read its script. */
const SHELLS = {
  bash: ["For this shell; in ~/.bashrc, for every one", "source <(mlcli completions bash)"],
  zsh: ["For this shell; in ~/.zshrc, for every one", "source <(mlcli completions zsh)"],
  fish: ["For this shell; in config.fish, for every one", "mlcli completions fish | source"],
} as const;

/**
 * The group with a command a shell.
 *
 * @param cliffy Cliffy's own group, whose commands do the work. Loading it takes 4 ms, so it is only
 * there when it is asked for. (As it is, it would hide itself, and its help is always in colour.)
 */
export function completionsCommand(context: Context, cliffy?: AnyCommand): AnyCommand {
  const group = groupCommand(context)
    .description("Print a script that makes a shell complete mlcli's command lines.");
  for (const [shell, [title, line]] of Object.entries(SHELLS)) {
    const command: AnyCommand = cliffy?.getCommand(shell) ?? new Command();
    group.command(shell, command).description(`Print the script for ${shell}.`)
      .example(title, line).reset();
  }
  // What the scripts ask.
  return group.command("complete", cliffy?.getCommand("complete", true) ?? new Command())
    .hidden().reset();
}

/** Cliffy's group of completion commands. */
export async function loadCompletions(): Promise<AnyCommand> {
  const { CompletionsCommand } = await import("@cliffy/command/completions");
  return new CompletionsCommand() as unknown as AnyCommand;
}

/** Values that a completion may ask for, by the name that the options give it. */
export function withCompletions(root: AnyCommand, context: Context): AnyCommand {
  for (const kind of ["app", "server-port", "script", "image-tag"] as const) {
    root.globalComplete(kind, async () => {
      const { completionValues } = await import("./completion_values.ts");
      return [...await completionValues(kind, context)];
    });
  }
  return root;
}
