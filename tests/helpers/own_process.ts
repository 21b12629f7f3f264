/**
 * Code in a process of its own, for what belongs to a whole process, as its memory and its umask do:
 * tests of other files run in that of the tests at the same time.
 */

import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { makeDirectory } from "./directory.ts";
import { killedAfter, resultOf } from "./program.ts";

const ROOT = new URL("../../", import.meta.url);

/** How long it may take, in ms. */
const TIMEOUT = 60_000;

/** What the code finds, and what starts it. */
export interface OwnProcessOptions {
  /** Names that it uses, and the modules, from the root, that have them. */
  readonly imports: Readonly<Record<string, string>>;
  /** A program that runs the command behind it, such as `setpriv`, and its options. */
  readonly within?: readonly string[];
}

/** What the code prints. Fails where it fails, or complains. */
export async function inOwnProcess(
  code: string,
  { imports, within = [] }: OwnProcessOptions,
): Promise<string> {
  const lines = Object.entries(imports).map(([name, module]) =>
    `import { ${name} } from ${JSON.stringify(new URL(module, ROOT).href)};\n`
  );
  await using directory = await makeDirectory({ "main.ts": `${lines.join("")}${code}` });
  const config = fromFileUrl(new URL("deno.json", ROOT));
  const deno = [Deno.execPath(), "run", "-A", "--quiet", "--no-check", "--config", config];
  const [program, ...args] = [...within, ...deno, join(directory.path, "main.ts")];
  const command = new Deno.Command(program!, {
    args,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { code: status, stdout, stderr } = await resultOf(killedAfter(TIMEOUT, command.spawn()));
  // Where it fails, what it has printed tells how far it came.
  assertEquals({ status, stderr, ...status && { stdout } }, { status: 0, stderr: "" });
  return stdout;
}
