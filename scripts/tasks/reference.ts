/**
 * Writes what is made of the source into pages of docs/reference: the commands of the command tree
 * into cli.md, all messages into errors.md. `deno task reference`.
 */

import { fromFileUrl } from "@std/path";
import { everywhere, help } from "../../commands/options/standard.ts";
import { optionRows, usageParts } from "../../commands/render/help.ts";
import { root } from "../../commands/root.ts";
import { type Topic, topicOf } from "../../commands/topic.ts";
import { errorList } from "../reference/errors.ts";

const FOLDER = fromFileUrl(new URL("../../docs/reference/", import.meta.url));
// Between them, deno fmt leaves the text as it was made.
const BEGIN = "<!-- deno-fmt-ignore-start -->";
const NOTE = "\n<!-- Made by deno task reference -->\n\n";
const END = "<!-- deno-fmt-ignore-end -->";

/** The pages with what is made, and what makes it. */
export const MADE: Readonly<Record<string, () => Promise<string>>> = {
  "cli.md": async () => (await sectionsBelow([])).join("\n"),
  "errors.md": errorList,
};

/** A page of docs/reference with what is made of the source as it is now. */
export async function updatedReference(page: string): Promise<string> {
  const text = await Deno.readTextFile(`${FOLDER}${page}`);
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/reference/${page} needs ${BEGIN} and ${END}`);
  return text.slice(0, begin + BEGIN.length) + NOTE + await MADE[page]!() + "\n" + text.slice(end);
}

/** @param names those that lead to a group or a command. */
async function sectionsBelow(names: readonly string[]): Promise<string[]> {
  const topic = await topicOf(root, names);
  if (topic.members === undefined) return [section(topic)];
  const sections: string[] = [];
  for (const [name] of topic.members) sections.push(...await sectionsBelow([...names, name]));
  return sections;
}

function section(topic: Topic): string {
  const ofEvery = Object.keys({ ...everywhere, ...help });
  const rows = optionRows(topic)
    // Every command has these: the text above the reference says so.
    .filter(({ form }) => !ofEvery.some((flag) => form.includes(flag)))
    .map(({ form, description }) => `| \`${form.trim()}\` | ${description} |\n`);
  const examples = topic.examples.map(([, line]) => line);
  return [
    `## ${topic.path}\n`,
    `${topic.description}\n`,
    `\`${usageParts(topic).join(" ")}\`\n`,
    rows.length === 0 ? "" : `| Option | |\n| --- | --- |\n${rows.join("")}`,
    examples.length === 0 ? "" : `\`\`\`sh\n${examples.join("\n")}\n\`\`\`\n`,
  ].filter((part) => part !== "").join("\n");
}

async function main(): Promise<void> {
  for (const page of Object.keys(MADE)) {
    await Deno.writeTextFile(`${FOLDER}${page}`, await updatedReference(page));
  }
}

if (import.meta.main) main();
