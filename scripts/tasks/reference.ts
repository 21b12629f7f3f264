/**
 * Writes what is made of the source into pages of docs/reference: the commands of the command tree
 * into cli.md, all messages into errors.md. `deno task reference`.
 */

import { fromFileUrl } from "@std/path";
import { commandList } from "../reference/commands.ts";
import { errorList } from "../reference/errors.ts";

const FOLDER = fromFileUrl(new URL("../../docs/reference/", import.meta.url));
// Between them, deno fmt leaves the text as it was made.
const BEGIN = "<!-- deno-fmt-ignore-start -->";
const NOTE = "\n<!-- Made by deno task reference -->\n\n";
const END = "<!-- deno-fmt-ignore-end -->";

/** The pages with what is made, and what makes it. */
export const MADE: Readonly<Record<string, () => Promise<string>>> = {
  "cli.md": commandList,
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

async function main(): Promise<void> {
  for (const page of Object.keys(MADE)) {
    await Deno.writeTextFile(`${FOLDER}${page}`, await updatedReference(page));
  }
}

if (import.meta.main) main();
