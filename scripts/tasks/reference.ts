/**
 * Generates parts of docs/reference from the source: the commands of cli.md from the command tree, the
 * appendix of errors.md from all messages. `deno task reference`.
 */

import { fromFileUrl } from "@std/path";
import { commandList } from "../reference/commands.ts";
import { errorList } from "../reference/errors.ts";

const FOLDER = fromFileUrl(new URL("../../docs/reference/", import.meta.url));
// Between them, deno fmt changes nothing.
const BEGIN = "<!-- deno-fmt-ignore-start -->";
const NOTE = "\n<!-- Made by deno task reference -->\n\n";
const END = "<!-- deno-fmt-ignore-end -->";

/** The pages with a generated part, and what generates it from the rest of the page. */
export const MADE: Readonly<Record<string, (page: string) => Promise<string>>> = {
  "cli.md": commandList,
  "errors.md": errorList,
};

/** Returns a page of docs/reference with its part generated from the source as it is now. */
export async function updatedReference(page: string): Promise<string> {
  const text = await Deno.readTextFile(`${FOLDER}${page}`);
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/reference/${page} needs ${BEGIN} and ${END}`);
  const made = await MADE[page]!(text.slice(0, begin));
  return text.slice(0, begin + BEGIN.length) + NOTE + made + "\n" + text.slice(end);
}

async function main(): Promise<void> {
  for (const page of Object.keys(MADE)) {
    await Deno.writeTextFile(`${FOLDER}${page}`, await updatedReference(page));
  }
}

if (import.meta.main) main();
