/** Writes the command reference into docs/reference/cli.md, from the command tree: `deno task reference`. */

import { fromFileUrl } from "@std/path";
import { everywhere, help } from "../../commands/options/standard.ts";
import { optionRows, usageParts } from "../../commands/render/help.ts";
import { root } from "../../commands/root.ts";
import { type Topic, topicOf } from "../../commands/topic.ts";
import { wrap, wrapWords } from "../../runtime/messages.ts";

const REFERENCE = fromFileUrl(new URL("../../docs/reference/cli.md", import.meta.url));
// Between them, deno fmt leaves the text as it was made.
const BEGIN = "<!-- deno-fmt-ignore-start -->";
const NOTE = "\n<!-- Made by deno task reference -->\n\n";
const END = "<!-- deno-fmt-ignore-end -->";
/** As deno fmt breaks prose. */
const COLUMNS = 100;

/** docs/reference/cli.md with the reference as the command tree has it now. */
export async function updatedReference(): Promise<string> {
  const text = await Deno.readTextFile(REFERENCE);
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/reference/cli.md needs ${BEGIN} and ${END}`);
  const sections = await sectionsBelow([]);
  return text.slice(0, begin + BEGIN.length) + NOTE +
    [contents(sections), ...sections].join("\n") + "\n" + text.slice(end);
}

/** Links to the commands, which the sections begin with. */
function contents(sections: readonly string[]): string {
  const titles = sections.map((text) => text.slice("## ".length, text.indexOf("\n")));
  const links = titles.map((title, index) =>
    `[${title.replace("mlcli ", "")}](#${title.replaceAll(" ", "-")})` +
    (index === titles.length - 1 ? "" : ",")
  );
  return `- ${wrapWords(links, COLUMNS, 2)}\n`;
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
    .map(({ form, description }) =>
      `- ${wrap(`\`${form.trim()}\`: ${description}`, COLUMNS, 2)}\n`
    );
  const examples = topic.examples.map(([, line]) => line);
  return [
    `## ${topic.path}\n`,
    `${wrap(topic.description, COLUMNS, 0)}\n`,
    `\`${usageParts(topic).join(" ")}\`\n`,
    rows.join(""),
    examples.length === 0 ? "" : `\`\`\`sh\n${examples.join("\n")}\n\`\`\`\n`,
  ].filter((part) => part !== "").join("\n");
}

async function main(): Promise<void> {
  await Deno.writeTextFile(REFERENCE, await updatedReference());
}

if (import.meta.main) main();
