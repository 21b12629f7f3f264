/** The commands of docs/reference/cli.md, from the command tree. */

import { everywhere, help } from "../../commands/options/standard.ts";
import { optionRows, type Row, usageParts } from "../../commands/render/help.ts";
import { root } from "../../commands/root.ts";
import { type Topic, topicOf } from "../../commands/topic.ts";
import { wrap, wrapWords } from "../../runtime/messages.ts";

/** A list of all commands, and a section for each. */
export async function commandList(): Promise<string> {
  const topics = await topicsBelow([]);
  const shared = sharedRows(topics);
  return [
    sharedSection(shared),
    listSection(topics),
    ...topics.map((topic) => section(topic, shared)),
  ].join("\n");
}

/** The commands. @param names those that lead to a group or a command. */
async function topicsBelow(names: readonly string[]): Promise<readonly Topic[]> {
  const topic = await topicOf(root, names);
  if (topic.members === undefined) return [topic];
  const topics: Topic[] = [];
  for (const [name] of topic.members) topics.push(...await topicsBelow([...names, name]));
  return topics;
}

/** Options that this many commands have in the same words are described once. */
const MANY = 4;

/** The options of many commands, as `itemOf` writes them. */
function sharedRows(topics: readonly Topic[]): ReadonlySet<string> {
  const items = topics.flatMap((topic) => ownRows(topic).map(itemOf)).sort();
  return new Set(items.filter((item, index) => items[index + MANY - 1] === item));
}

function listSection(topics: readonly Topic[]): string {
  const items = topics.map(({ path, description }) => {
    const [summary] = description.split("\n");
    return `- [${path.replace("mlcli ", "")}](#${path.replaceAll(" ", "-")}): ${summary}\n`;
  });
  return `## All commands\n\n${items.join("")}`;
}

function sharedSection(shared: ReadonlySet<string>): string {
  const meaning = "The commands below name those that they have, and describe their own.";
  return `## Options of many commands\n\n${meaning}\n\n${[...shared].join("")}`;
}

/** Every command has the others: the text above the reference says so. */
function ownRows(topic: Topic): readonly Row[] {
  const ofEvery = Object.keys({ ...everywhere, ...help });
  return optionRows(topic).filter(({ form }) => !ofEvery.some((flag) => form.includes(flag)));
}

function itemOf({ form, description }: Row): string {
  return `- ${wrapWords([`\`${form.trim()}\`:`, ...description.split(" ")], 100, 2)}\n`;
}

function section(topic: Topic, shared: ReadonlySet<string>): string {
  const rows = ownRows(topic);
  const items = rows.map(itemOf).filter((item) => !shared.has(item));
  const others = rows.filter((row) => shared.has(itemOf(row)))
    .map(({ form }) => `\`${form.trim()}\``).join(",\n");
  const examples = topic.examples.map(([, line]) => line);
  return [
    `### ${topic.path}\n`,
    `${wrap(topic.description, 100, 0)}\n`,
    `\`${usageParts(topic).join(" ")}\`\n`,
    items.length === 0 ? "" : items.join(""),
    others === "" ? "" : `${wrapWords(["Also", ...`${others}.`.split("\n")], 100, 0)}\n`,
    examples.length === 0 ? "" : `\`\`\`sh\n${examples.join("\n")}\n\`\`\`\n`,
  ].filter((part) => part !== "").join("\n");
}
