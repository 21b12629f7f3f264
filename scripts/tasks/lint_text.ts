/**
 * Checks the words and the length of sentences in all that users read: messages, help, the page and
 * the documents: `deno task lint`.
 */

import { fromFileUrl } from "@std/path";
import { filesBelow } from "../files.ts";
import { textsOfPython, textsOfTypeScript } from "../lint/literals.ts";
import { type Block, blocksOf, findingsIn } from "../lint/prose.ts";
import { runScript, say } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url)).replaceAll("\\", "/");

/** Where texts are, relative to the checkout: files, or directories with their files. */
const PLACES = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "CODE_OF_CONDUCT.md",
  "SECURITY.md",
  "SUPPORT.md",
  ".github",
  "docs",
  "commands",
  "runtime",
  "scripts/release/install.md",
];

async function main(): Promise<number> {
  let findings = 0;
  for (const place of PLACES) {
    for await (const name of filesBelow(ROOT + place)) {
      const path = name === "" ? place : `${place}/${name}`;
      for (const { text, line } of await blocksIn(path)) {
        for (const finding of findingsIn(text)) {
          findings++;
          say(`${path}:${line}: ${finding}`);
        }
      }
    }
  }
  say(`Checked the words of messages, help and documents: ${findings} findings`);
  return findings === 0 ? 0 : 1;
}

async function blocksIn(path: string): Promise<readonly Block[]> {
  const read = (): Promise<string> => Deno.readTextFile(ROOT + path);
  if (path.endsWith(".md")) return blocksOf(await read());
  if (/\.tsx?$/.test(path)) return textsOfTypeScript(await read(), path);
  // The tests of the harness print for its developers.
  return path.endsWith(".py") && !path.includes("/tests/") ? textsOfPython(await read()) : [];
}

if (import.meta.main) runScript(main);
