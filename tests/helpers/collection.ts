/**
 * Programs that collect memory when they choose to: `gc()`, which V8 has only where a flag says so.
 */

import { fromFileUrl } from "@std/path";

/** What a program beside this file writes. */
export async function outputWithCollection(name: string): Promise<string> {
  const program = fromFileUrl(new URL(name, import.meta.url));
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", "--no-check", "--v8-flags=--expose-gc", program],
    stdin: "null",
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(stdout);
}
