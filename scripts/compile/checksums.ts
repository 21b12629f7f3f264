/** SHA256SUMS: the checksums of what a release consists of. */

import { join } from "@std/path";
import { sha256 } from "../../runtime/text.ts";

/** Files of a directory as `sha256sum` writes them and `sha256sum --check` reads them. */
export async function checksums(directory: string, names: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const name of names) {
    lines.push(`${await sha256(await Deno.readFile(join(directory, name)))}  ${name}\n`);
  }
  return lines.join("");
}

/** The sums by file. */
export function sumsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)].map(([, sum, name]) => [name!, sum!]),
  );
}
