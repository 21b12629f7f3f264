/** A wheel, for pip, uv and pipx: the binary, and not a line of Python. */

import { join } from "@std/path";
import { type Binary, programOf, SUMMARY } from "./kinds.ts";
import { type Files, make, makeTree, type Packing } from "./tree.ts";

export async function makeWheel({ bytes, system }: Binary, packing: Packing): Promise<void> {
  const { version, license, homepage } = packing;
  // Python writes 1.2.0-rc.3 as 1.2.0rc3.
  const name = `mlcli-${version.replace(/-(a|b|rc)[a-z]*\./, "$1")}`;
  const info = `${name}.dist-info`;
  const tag = `py3-none-${system.wheel}`;
  const content: Files = {
    [`${name}.data/scripts/${programOf(system)}`]: bytes,
    [`${info}/licenses/LICENSE`]: license,
    [`${info}/METADATA`]: `Metadata-Version: 2.4
Name: mlcli
Version: ${name.replace("mlcli-", "")}
Summary: ${SUMMARY}
License-Expression: MIT
License-File: LICENSE
Project-URL: Homepage, ${homepage}
`,
    [`${info}/WHEEL`]:
      `Wheel-Version: 1.0\nGenerator: mlcli\nRoot-Is-Purelib: false\nTag: ${tag}\n`,
  };
  const record = `${info}/RECORD`;
  const files = { ...content, [record]: `${await recordOf(content)}${record},,\n` };
  const tree = await makeTree(`wheel-${tag}`, files, packing);
  const wheel = join(packing.made, `${name}-${tag}.whl`);
  // In this order, and without what only this machine knows.
  await make(["zip", "-qXD", wheel, ...Object.keys(files)], packing, tree);
}

/** The lines of RECORD for the other files. */
async function recordOf(files: Files): Promise<string> {
  let lines = "";
  for (const [name, content] of Object.entries(files)) {
    const bytes = await new Blob([content]).bytes();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const hash = digest.toBase64({ alphabet: "base64url", omitPadding: true });
    lines += `${name},sha256=${hash},${bytes.length}\n`;
  }
  return lines;
}
