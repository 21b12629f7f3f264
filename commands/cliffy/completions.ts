/** The scripts that make a shell complete command lines: Cliffy's, corrected. */

import type { Command as Cliffy } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import type { Group } from "../command.ts";
import { type CliffyCommand, treeFor, wholeTree } from "./tree.ts";

/** The shells that there are scripts for. */
export type Shell = keyof typeof CORRECTIONS;

/** The script for a shell. It asks `mlcli completions complete` for what only mlcli knows. */
export async function completionScript(
  shell: Shell,
  root: Group,
  context: Context,
): Promise<string> {
  const tree = await wholeTree(root, context);
  const script = await printedByCliffy(tree, [shell, "--name", "mlcli"]);
  return corrected(script, CORRECTIONS[shell]);
}

/**
 * Answers such a script: prints the values, a line each.
 *
 * @param words the kind of value, and the words of the command that takes it.
 */
export async function answerCompletion(
  words: readonly string[],
  root: Group,
  context: Context,
): Promise<void> {
  await printedByCliffy(await treeFor(words, root, context), ["complete", ...words]);
}

/**
 * Runs one of Cliffy's own completion commands on a tree of commands. (They are not in the tree: they
 * hide themselves there, their help is always in colour, and loading them takes 4 ms.)
 *
 * @returns what it printed with `console.log`.
 */
async function printedByCliffy(tree: CliffyCommand, args: readonly string[]): Promise<string> {
  const { CompletionsCommand } = await import("@cliffy/command/completions");
  // A tree that has parsed nothing gets the types of its values by this; the scripts name them.
  tree.getHelp();
  const console = globalThis.console;
  const { log } = console;
  let printed = "";
  console.log = (text: string) => void (printed += `${text}\n`);
  try {
    await new CompletionsCommand(tree as unknown as Cliffy).throwErrors().parse([...args]);
  } finally {
    console.log = log;
  }
  return printed;
}

/** How bash reads the values that mlcli prints, a line each; the last line has no end. */
const READ_VALUES = `    local value
    while IFS= read -r value || [[ -n \${value} ]]; do
      opts+=("\${value}")
    done < <(mlcli \${there[@]+"\${there[@]}"} completions$1 2> /dev/null)`;

/** bash completes the values that begin with the typed word, quoted or not, and inserts them quoted. */
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

/**
 * What follows `--` is left to bash, which completes files. Values are those of the directory that the
 * command line names. (Bash takes `--directory=..` for three words.)
 */
const BEGINNING = `  COMPREPLY=()
  local -a there=()
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD}"; do
    if [[ \${word} == -- ]]; then return 0; fi
    if [[ \${#there[@]} -eq 1 && \${word} != = ]]; then there+=("\${word}"); fi
    if [[ \${word} == --directory && \${#there[@]} -eq 0 ]]; then there=(--directory); fi
  done
  [[ \${#there[@]} -eq 2 ]] || there=()`;

/** Parts of Cliffy's script, and mlcli's in their place. */
type Corrections = readonly (readonly [found: RegExp, replacement: string])[];

/**
 * Values may be names of a stranger's files, and must not be expanded: `compgen -W` would run
 * `$(...)`. All of this works in bash 3.2, which macOS has.
 *
 * Where the script has no value, bash completes files (`complete -o default`). Cliffy's script would
 * complete only files for a command that takes one.
 */
const FOR_BASH: Corrections = [
  [/^ *COMPREPLY=\(\)$/m, BEGINNING],
  [/^ +mapfile -t values < <\( *mlcli completions([^\n]*)\)\n.*?\n +done$/ms, READ_VALUES],
  [/^ {2}_mlcli_expand\(\) \{.*?^ {2}\}\n\n/ms, ""],
  [/^ {2}# shellcheck[^\n]*\n {2}_mlcli_file_dir\(\) \{.*?^ {2}\}\n\n/ms, ""],
  [/^( +)_mlcli_file_dir$/gm, "$1[[ ${cur} == -* || ${prev} == -* ]] || opts=()"],
  [/; _mlcli_file_dir(?= ;;)/g, ""],
  [/^ {2}if \[\[ listFiles -eq 1 \]\].*^ {2}return 0\n\}$/ms, REPLY],
];

/** compadd would take a value that begins with a dash for an option. */
const FOR_ZSH: Corrections = [
  [/"\$\{expl\[@\]\}" "\$\{values\[@\]\}"/, '"${expl[@]}" -- "${values[@]}"'],
];

const CORRECTIONS = { bash: FOR_BASH, zsh: FOR_ZSH, fish: [] } as const;

/** @throws Error if the script is not the one that the corrections were made for. */
function corrected(script: string, corrections: Corrections): string {
  return corrections.reduce((text, [found, replacement]) => {
    if (text.search(found) === -1) throw new Error(`Not in Cliffy's script: ${found}`);
    return text.replace(found, replacement);
  }, script);
}
