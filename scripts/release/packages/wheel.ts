/** A wheel, for pip, uv and pipx: the binary, and not a line of Python. */

import { join } from "@std/path";
import { type Binary, homeOf, programOf, SUMMARY } from "./kinds.ts";
import { make, makeTree, type Packing } from "./tree.ts";

export async function makeWheel({ path, system }: Binary, packing: Packing): Promise<void> {
  const { version: { python }, license } = packing.release;
  const tag = `py3-none-${system[1]}`;
  const script = `mlcli-${python}.data/scripts/${programOf(system)}`;
  const info = `mlcli-${python}.dist-info`;
  const texts = {
    [`${info}/licenses/LICENSE`]: license,
    [`${info}/METADATA`]: `Metadata-Version: 2.4
Name: mlcli
Version: ${python}
Summary: ${SUMMARY}
License-Expression: MIT
License-File: LICENSE
Project-URL: Homepage, ${homeOf(packing.release).homepage}
`,
    [`${info}/WHEEL`]:
      `Wheel-Version: 1.0\nGenerator: mlcli\nRoot-Is-Purelib: false\nTag: ${tag}\n`,
  };
  const encoder = new TextEncoder();
  const lines = [await recorded(script, await Deno.readFile(path))];
  for (const [name, text] of Object.entries(texts)) {
    lines.push(await recorded(name, encoder.encode(text)));
  }
  const record = `${info}/RECORD`;
  const files = {
    [script]: { program: path },
    ...texts,
    [record]: `${lines.join("")}${record},,\n`,
  };
  const tree = await makeTree(`wheel-${tag}`, files, packing);
  const wheel = join(packing.made, `mlcli-${python}-${tag}.whl`);
  // In this order, and without what only this machine knows.
  await make(["zip", "-qXD", `-${packing.level}`, wheel, ...Object.keys(files)], packing, tree);
}

/** A file's line in RECORD. */
async function recorded(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hash = digest.toBase64({ alphabet: "base64url", omitPadding: true });
  return `${name},sha256=${hash},${bytes.length}\n`;
}
