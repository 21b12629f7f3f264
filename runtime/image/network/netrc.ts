/**
 * Names and passwords in a `.netrc`, which pip uses for indexes whose address has none.
 *
 * @module
 */

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
