/**
 * Names and passwords in a `.netrc`, which pip uses for indexes whose address has none.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Context } from "../../context.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { holdsLogin, hostsOf } from "./addresses.ts";
import type { PipSettings } from "./pip_settings.ts";

/** A word of the file, quoted or not. */
const WORD = /"(?:[^"\\]|\\.)*"|\S+/g;

/**
 * The entries of a `.netrc` for some hosts, as text of the same kind. Other entries are of no use to
 * pip, and may be for anything: neither they, nor `default`, nor macros are in it.
 */
export function netrcFor(text: string, hosts: readonly string[]): string {
  let kept = "";
  // A macro goes on to the next blank line.
  const words = text.replaceAll(/^\s*macdef\b[\s\S]*?(\n\s*\n|$(?![\s\S]))/gm, "\n")
    .replaceAll(/^\s*#.*$/gm, "").match(WORD) ?? [];
  let isWanted = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word === "machine") {
      const host = words[++index] ?? "";
      isWanted = hosts.includes(host);
      if (isWanted) kept += `machine ${host}\n`;
    } else if (word === "default") {
      isWanted = false;
    } else if (/^(login|user|account|password)$/.test(word)) {
      const value = words[++index];
      if (isWanted && value !== undefined) kept += `  ${word} ${value}\n`;
    }
  }
  return kept;
}

/** The entries for the hosts of pip's indexes, and the file that has them; where there are any. */
export async function netrcOfIndexes(
  pip: PipSettings,
  env: Context["env"],
): Promise<{ readonly text: string; readonly path: string } | undefined> {
  const hosts = [pip["index-url"], pip["extra-index-url"], pip["find-links"]]
    .flatMap((setting) => setting?.value.split(" ") ?? [])
    .filter((address) => address.includes("://") && !holdsLogin(address))
    .flatMap(hostsOf);
  if (hosts.length === 0) return undefined;
  const home = env("HOME") || env("USERPROFILE");
  const named = env("NETRC");
  const paths = named ? [named] : home ? [join(home, ".netrc"), join(home, "_netrc")] : [];
  for (const path of paths) {
    const content = await readTextFile(path, LARGEST_TEXT).catch(() => undefined);
    if (content === undefined) continue;
    const text = netrcFor(content, hosts);
    return text === "" ? undefined : { text, path };
  }
  return undefined;
}
