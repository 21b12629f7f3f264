/** A wheel, for pip, uv and pipx: the binary, and not a line of Python. */

import { join } from "@std/path";
import { homepageOf, type Release, SUMMARY, type System } from "./kinds.ts";
import { make, type Maker, makeTree } from "./tree.ts";

/** Makes the wheel of a system in a directory. */
export async function makeWheel(
  program: string,
  system: System,
  release: Release,
  directory: string,
  maker: Maker,
): Promise<void> {
  const { python } = release.version;
  const script = `mlcli-${python}.data/scripts/mlcli${system.suffix}`;
  const info = `mlcli-${python}.dist-info`;
  const tag = `py3-none-${system.wheel}`;
  const texts = {
    [`${info}/licenses/LICENSE`]: release.license,
    [`${info}/METADATA`]: lines(
      "Metadata-Version: 2.4",
      "Name: mlcli",
      `Version: ${python}`,
      `Summary: ${SUMMARY}`,
      "License-Expression: MIT",
      "License-File: LICENSE",
      `Project-URL: Homepage, ${homepageOf(release)}`,
    ),
    [`${info}/WHEEL`]: lines(
      "Wheel-Version: 1.0",
      "Generator: mlcli",
      "Root-Is-Purelib: false",
      `Tag: ${tag}`,
    ),
  };
  const bytes = Object.entries(texts).map(([path, text]) =>
    [path, new TextEncoder().encode(text)] as const
  );
  const record = await Promise.all(
    [[script, await Deno.readFile(program)] as const, ...bytes].map(recorded),
  );
  const files = {
    [script]: { program },
    ...texts,
    [`${info}/RECORD`]: lines(...record, `${info}/RECORD,,`),
  };
  const tree = await makeTree(`wheel-${system.wheel}`, files, maker);
  const wheel = join(directory, `mlcli-${python}-${tag}.whl`);
  // In this order, and without the times and owners of this machine.
  await make(["zip", "-qXD", `-${maker.level}`, wheel, ...Object.keys(files)], maker, tree);
}

/** A file's line in RECORD. */
async function recorded(
  [path, bytes]: readonly [string, Uint8Array<ArrayBuffer>],
): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hash = digest.toBase64({ alphabet: "base64url", omitPadding: true });
  return `${path},sha256=${hash},${bytes.length}`;
}

function lines(...all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
