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

/** The group with a command a shell. */
export function completionsCommand(context: Context): AnyCommand {
  const group = groupCommand(context)
    .description("Print a script that makes a shell complete mlcli's command lines.");
  for (const [shell, [title, line]] of Object.entries(SHELLS)) {
    const command: AnyCommand = new Command().description(`Print the script for ${shell}.`)
      .example(title, line)
      .action(async () => {
        const script = await printedByCliffy(group.getMainCommand(), [shell, "--name", "mlcli"]);
        context.out.print(shell === "bash" ? correctedForBash(script) : script);
      });
    group.command(shell, command).reset();
  }
  // What the scripts ask: which kind of value, and the words of the command that takes it.
  const complete: AnyCommand = new Command().arguments("<kind:string> [command...:string]")
    .action(async (_options: unknown, ...words: string[]) => {
      await printedByCliffy(group.getMainCommand(), ["complete", ...words]);
    });
  return group.command("complete", complete).hidden().reset();
}

/**
 * Runs one of Cliffy's own completion commands on a tree of commands. As they are, they would hide
 * themselves, and their help is always in colour; and loading them takes 4 ms.
 *
 * @returns what it gave to `console.log`, the only way it knows to print a script.
 */
async function printedByCliffy(root: AnyCommand, args: readonly string[]): Promise<string> {
  const { CompletionsCommand } = await import("@cliffy/command/completions");
  const console = globalThis.console;
  const { log } = console;
  let printed = "";
  console.log = (text: string) => void (printed += `${text}\n`);
  try {
    await new CompletionsCommand(root as unknown as Command).throwErrors().parse([...args]);
  } finally {
    console.log = log;
  }
  return printed;
}

/**
 * Cliffy's script for bash, with the completion of files left to bash, which does it where the
 * script has nothing (`complete -o default`), whatever the names are. The script would complete
 * nothing else for a command that takes a file, and would hand `--x` to compgen as an option.
 */
function correctedForBash(script: string): string {
  return script
    .replace(/^( +)_mlcli_file_dir$/gm, "$1[[ ${cur} == -* || ${prev} == -* ]] || opts=()")
    .replaceAll('COMPREPLY=($(compgen -f "${cur}"))', "COMPREPLY=()");
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
