/**
 * Makes one document of the page of `local ui`: its program, bundled with its packages, and its style,
 * under a policy that lets nothing else run.
 *
 * Imports nothing that needs resolving, for `scripts/tasks/setup.ts` runs before anything is.
 */

import { createHash } from "node:crypto";
import { run } from "./process.ts";

/** Of the program's directory. */
export const PAGE = "runtime/page";
const [STYLE, FRAME] = ["style.css", "frame.html"];

/** Where its program begins. */
export const PROGRAM = `${PAGE}/main.tsx`;

/** It takes a second, and more where esbuild has to be downloaded first. In ms. */
const TIMEOUT = 120_000;

/**
 * @param root the program's directory.
 * @param options of Deno.
 */
export async function pageOf(
  root: string,
  options: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const command = ["bundle", "--quiet", "--platform", "browser", "--minify", ...options];
  const program = await run([Deno.execPath(), ...command, PROGRAM], {
    cwd: root,
    // As where a binary is bundled: the system knows the certificates of a company's proxy.
    env: { DENO_TLS_CA_STORE: "mozilla,system", ...env },
    timeout: TIMEOUT,
    hint: "deno bundle needs esbuild, which it downloads from npm.",
    signal,
  });
  const style = await Deno.readTextFile(`${root}/${PAGE}/${STYLE}`);
  return documentOf(await Deno.readTextFile(`${root}/${PAGE}/${FRAME}`), program, style);
}

/** @throws Error where the frame lacks a place, or the program has what would end its element. */
export function documentOf(frame: string, program: string, style: string): string {
  if (/<\/(script|style)|<!--/i.test(program + style)) throw new Error("It would end its element");
  const places = {
    "<!--style-->": `<style>${style}</style>`,
    "<!--program-->": `<script type="module">${program}</script>`,
    // After the others: neither counts for the hashes.
    "SCRIPT-HASH": hashOf(program),
    "STYLE-HASH": hashOf(style),
  };
  let document = frame;
  for (const [place, content] of Object.entries(places)) {
    if (document.split(place).length !== 2) throw new Error(`The frame has no place ${place}`);
    document = document.replace(place, () => content);
  }
  return document;
}

/** As a Content-Security-Policy names a source. */
function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
