/** A request that the app's model understands: the one that its README shows. */

import { join } from "@std/path/join";
import { dirname } from "@std/path/dirname";
import type { App as Application } from "../../app/app.ts";
import { escapeOf } from "../../app/confinement.ts";
import { typeOfBytes } from "../../contract/invocations.ts";
import { LARGEST_TEXT, lstatIfThere, readTextFile } from "../../files.ts";
import type { App } from "../../page/api.ts";

/** As `mlcli init` writes it: `echo 72,3,15 | mlcli local invoke`. */
const EXAMPLE = /^[ \t]*(?:\$ )?echo +(?:'([^'\n]*)'|([\w.,+-]+)) *\| *mlcli local invoke\s*$/m;

/** `null` where it shows none. */
export async function sampleOf(app: Application): Promise<App["sample"]> {
  const path = join(dirname(app.base), "README.md");
  const isPlain = !await escapeOf(app, dirname(path)) && (await lstatIfThere(path))?.isFile;
  const text = isPlain ? await readTextFile(path, LARGEST_TEXT).catch(() => "") : "";
  return sampleIn(text);
}

export function sampleIn(readme: string): App["sample"] {
  const [, quoted, plain] = EXAMPLE.exec(readme) ?? [];
  const example = quoted ?? plain;
  if (example === undefined) return null;
  const body = `${example}\n`;
  return { body, content_type: typeOfBytes(new TextEncoder().encode(body)) };
}
