/** What may follow the words of a command line, from the command tree. */

import type { Context } from "../../runtime/context.ts";
import { splitCommandLine } from "../cliffy/command_line.ts";
import { type Group, nameIn } from "../command.ts";
import { inDirectory } from "../directory.ts";
import { type Argument, type NamedOption, optionsOf } from "../options/option.ts";
import { type Topic, topicOf } from "../topic.ts";

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

type Option = NamedOption[1];

/**
 * Commands, options and values that may follow; those that only the shell knows, files, excepted.
 *
 * @param typed the words before the one that is completed, without `mlcli`.
 * @throws UsageError for words that mlcli would not take.
 */
export async function candidates(
  typed: readonly string[],
  root: Group,
  context: Context,
): Promise<readonly Candidate[]> {
  if (typed.includes("--")) return [];
  const { words, directory } = splitCommandLine(typed);
  const there = directory === undefined ? context : await inDirectory(context, directory);
  const names: string[] = [];
  let topic = await topicOf(root, names);
  const early = optionsOf(await root.early?.() ?? {});
  let given = 0;
  let open: Option | undefined;
  for (const word of words) {
    const member = nameIn(topic.members ?? [], word);
    if (open !== undefined) open = undefined;
    else if (word.startsWith("-")) open = optionWithValue([...topic.options, ...early], word);
    else if (member !== undefined) {
      names.push(member);
      topic = await topicOf(root, names);
      given = 0;
    } else given++;
  }
  if (open?.value !== undefined) return await valuesOf(open, there);
  const [, argument = {}] = topic.arguments[given] ?? argumentOfMany(topic) ?? [];
  return [
    ...(topic.members ?? []).map(([word, { summary }]) => ({ word, description: summary })),
    ...await valuesOf(argument, there),
    ...topic.options.map(([word, { description }]) => ({ word, description })),
  ];
}

/** The option that a word names, if its value is the next word. */
function optionWithValue(options: readonly NamedOption[], word: string): Option | undefined {
  const named = options.find(([flag, option]) =>
    option.value !== undefined && [flag, option.short, option.alias].some((form) => form === word)
  );
  return named?.[1];
}

/** The argument that takes all words that follow. */
function argumentOfMany(topic: Topic): Topic["arguments"][number] | undefined {
  return topic.arguments.find(([form]) => form.endsWith("...]"));
}

async function valuesOf(
  { choices, completion }: Pick<Argument, "choices" | "completion">,
  context: Context,
): Promise<readonly Candidate[]> {
  const words = choices ??
    (completion === undefined
      ? []
      : await (await import("./values.ts")).completionValues(completion, context));
  return words.map((word) => ({ word }));
}
