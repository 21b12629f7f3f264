/** Generates the commands of docs/reference/cli.md from the command tree. `deno task reference`. */

import { commandList } from "../reference/commands.ts";

const PAGE = new URL("../../docs/reference/cli.md", import.meta.url);
// Between them, deno fmt changes nothing.
const BEGIN = "<!-- deno-fmt-ignore-start -->";
const NOTE = "\n<!-- Made by deno task reference -->\n\n";
const END = "<!-- deno-fmt-ignore-end -->";

/** Returns the page, with the commands as the source declares them now. */
export async function updatedReference(): Promise<string> {
  const text = await Deno.readTextFile(PAGE);
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`cli.md needs ${BEGIN} and ${END}`);
  return text.slice(0, begin + BEGIN.length) + NOTE + await commandList() + "\n" + text.slice(end);
}

async function main(): Promise<void> {
  await Deno.writeTextFile(PAGE, await updatedReference());
}

if (import.meta.main) main();
