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
        context.out.print(corrected(script, CORRECTIONS[shell as keyof typeof SHELLS]));
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

/** How bash reads the values that mlcli gives, a line each, the last without an end; `$1` asks. */
const READ_VALUES = `    local value
    while IFS= read -r value || [[ -n \${value} ]]; do
      opts+=("\${value}")
    done < <($1)`;

/**
 * What bash completes: the values that begin with what was typed, be it with or without the
 * characters that quote it; quoted, since they take its place.
 */
const REPLY = `  [[ \${#opts[@]} -gt 0 ]] || return 0
  local value quoted
  for value in "\${opts[@]}"; do
    printf -v quoted '%q' "\${value}"
    if [[ \${value} == "\${cur}"* || \${quoted} == "\${cur}"* ]]; then
      COMPREPLY+=("\${quoted}")
    fi
  done
  return 0
}`;

/** Where Cliffy's scripts differ from mlcli's: what is found there, and what it becomes. */
type Corrections = readonly (readonly [found: RegExp, replacement: string])[];

/**
 * Values are names of somebody's files: nothing in them may be expanded, as `compgen -W` would do
 * with `$(...)`. Everything here is known to bash 3.2, which macOS has.
 *
 * Files are left to bash, which completes them where the script has nothing (`complete -o default`),
 * whatever their names are. The script would complete nothing else for a command that takes a file.
 */
const FOR_BASH: Corrections = [
  [/^ +mapfile -t values < <\(([^\n]*)\)\n.*?\n +done$/ms, READ_VALUES],
  [/^ {2}_mlcli_expand\(\) \{.*?^ {2}\}\n\n/ms, ""],
  [/^ {2}# shellcheck[^\n]*\n {2}_mlcli_file_dir\(\) \{.*?^ {2}\}\n\n/ms, ""],
  [/^( +)_mlcli_file_dir$/gm, "$1[[ ${cur} == -* || ${prev} == -* ]] || opts=()"],
  [/^ {2}if \[\[ listFiles -eq 1 \]\].*^ {2}return 0\n\}$/ms, REPLY],
];

/** A value that begins with a dash is a value, and no option of compadd. */
const FOR_ZSH: Corrections = [
  [/"\$\{expl\[@\]\}" "\$\{values\[@\]\}"/, '"${expl[@]}" -- "${values[@]}"'],
];

const CORRECTIONS = { bash: FOR_BASH, zsh: FOR_ZSH, fish: [] } as const;

/** @throws Error where a script is not the one that the corrections were made for. */
function corrected(script: string, corrections: Corrections): string {
  return corrections.reduce((text, [found, replacement]) => {
    if (text.search(found) === -1) throw new Error(`Not in Cliffy's script: ${found}`);
    return text.replace(found, replacement);
  }, script);
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
