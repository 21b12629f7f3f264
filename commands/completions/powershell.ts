/** The script for PowerShell, which Cliffy has not, and what answers it. */

import type { Context } from "../../runtime/context.ts";
import { splitCommandLine } from "../cliffy/command_line.ts";
import type { Group } from "../command.ts";
import { inDirectory } from "../directory.ts";
import type { Argument, NamedOption } from "../options/option.ts";
import { type Topic, topicOf } from "../topic.ts";

/**
 * Works in Windows PowerShell 5.1, too, which hands over no empty words: so only those before the one
 * that is completed. A value may be the name of a stranger's file, so it is quoted where it is more
 * than a plain word. Where nothing is printed, PowerShell completes files.
 */
export const POWERSHELL_SCRIPT =
  `Register-ArgumentCompleter -Native -CommandName mlcli -ScriptBlock {
  param($word, $line, $cursor)
  $before = @($line.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursor } |
    ForEach-Object { "$_".Trim("'", '"') })
  $typed = $word.Trim("'", '"')
  mlcli completions candidates -- @before 2>$null | Where-Object {
    $_.StartsWith($typed) -and ($typed -ne '' -or -not $_.StartsWith('-'))
  } | ForEach-Object {
    $quoted = [Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($_)
    $text = if ($_ -match '^[\\w./:-]+$') { $_ } else { "'$quoted'" }
    [Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
`;

type Valued = Extract<NamedOption[1], { readonly value: string }>;

/** What may follow these words of a command line: commands or values, and options. */
export async function candidates(
  typed: readonly string[],
  root: Group,
  context: Context,
): Promise<readonly string[]> {
  if (typed.includes("--")) return [];
  const { words, directory } = splitCommandLine(typed);
  const there = directory === undefined ? context : await inDirectory(context, directory);
  const names: string[] = [];
  let topic = await topicOf(root, names);
  let given = 0;
  let open: Valued | undefined;
  for (const word of words) {
    if (open !== undefined) open = undefined;
    else if (word.startsWith("-")) open = valuedOption(topic, word);
    else if (topic.members?.some(([name]) => name === word)) {
      names.push(word);
      topic = await topicOf(root, names);
    } else given++;
  }
  if (open !== undefined) return await valuesOf(open, there);
  const [, argument] = topic.arguments[given] ?? manyOf(topic) ?? [];
  return [
    ...topic.members?.map(([name]) => name) ?? [],
    ...argument === undefined ? [] : await valuesOf(argument, there),
    ...topic.options.map(([flag]) => flag),
  ];
}

/** The option that takes the next word, if this word is one. */
function valuedOption({ options }: Topic, word: string): Valued | undefined {
  const [, found] =
    options.find(([flag, option]) =>
      option.value !== undefined && [flag, option.short, option.alias].some((form) => form === word)
    ) ?? [];
  return found?.value === undefined ? undefined : found;
}

/** The argument that takes all words that follow. */
function manyOf(topic: Topic): Topic["arguments"][number] | undefined {
  return topic.arguments.findLast(([form]) => form.endsWith("...]"));
}

async function valuesOf(
  { choices, completion }: Valued | Argument,
  context: Context,
): Promise<readonly string[]> {
  if (choices !== undefined) return choices;
  if (completion === undefined || completion === "file") return [];
  const { completionValues } = await import("./values.ts");
  return await completionValues(completion, context);
}
