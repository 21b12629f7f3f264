/**
 * Writes the command reference into docs/cli.md, from the command tree: `deno task reference`.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import type { AnyCommand } from "../../commands/command.ts";
import { NO_COLOUR } from "../../commands/command_line.ts";
import { optionRows, usage } from "../../commands/help.ts";
import { rootCommand } from "../../commands/root.ts";
import { liveContext } from "../../runtime/context.ts";

const REFERENCE = fromFileUrl(new URL("../../docs/cli.md", import.meta.url));
// Between them, deno fmt leaves the text as it was made.
const BEGIN = "<!-- deno-fmt-ignore-start -->";
const NOTE = "\n<!-- Made by deno task reference -->\n\n";
const END = "<!-- deno-fmt-ignore-end -->";

/** docs/cli.md with the reference as the command tree has it now. */
export async function updatedReference(): Promise<string> {
  using context = liveContext();
  const text = await Deno.readTextFile(REFERENCE);
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/cli.md needs ${BEGIN} and ${END}`);
  return text.slice(0, begin + BEGIN.length) + NOTE +
    reference(rootCommand(context)) +
    "\n" + text.slice(end);
}

function reference(group: AnyCommand): string {
  return group.getCommands(false).map((command) =>
    command.getCommands(false).length > 0 ? reference(command) : section(command)
  ).join("\n");
}

function section(command: AnyCommand): string {
  const rows = optionRows(command)
    // Every command has these two: the text above the reference says so.
    .filter(({ form }) => !form.endsWith("--help") && !form.endsWith(NO_COLOUR))
    .map(({ form, description }) => `| \`${form.trim()}\` | ${description} |\n`);
  const examples = command.getExamples().map(({ description }) => description);
  return [
    `## ${command.getPath()}\n`,
    `${command.getDescription()}\n`,
    `\`${usage(command)}\`\n`,
    rows.length === 0 ? "" : `| Option | |\n| --- | --- |\n${rows.join("")}`,
    examples.length === 0 ? "" : `\`\`\`sh\n${examples.join("\n")}\n\`\`\`\n`,
  ].filter((part) => part !== "").join("\n");
}

async function main(): Promise<void> {
  await Deno.writeTextFile(REFERENCE, await updatedReference());
}

if (import.meta.main) main();
