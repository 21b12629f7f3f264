/** Directories that become packages: the same bytes from the same files. */

import { dirname, join } from "@std/path";
import { run } from "../../process.ts";
import type { Release } from "./kinds.ts";

/** A binary has 100 MB to compress, with others at the same time. In ms. */
const TIMEOUT = 300_000;

/** Content of a file, or the path of a program, which is copied. */
type Content = Uint8Array | string | { readonly program: string };

/** How and where packages are made. */
export interface Packing {
  readonly release: Release;
  /** For the trees. */
  readonly work: string;
  /** For the packages. */
  readonly made: string;
  /** Time of all files, in s since 1970. */
  readonly time: number;
  /** How hard to compress, from 1 to 9. */
  readonly level: number;
  readonly signal: AbortSignal;
}

/** Makes a directory of files, by their path in it: all readable, programs executable. */
export async function makeTree(
  name: string,
  files: Readonly<Record<string, Content>>,
  packing: Packing,
): Promise<string> {
  const tree = join(packing.work, name);
  for (const [path, content] of Object.entries(files)) {
    const file = join(tree, path);
    await Deno.mkdir(dirname(file), { recursive: true });
    const isProgram = typeof content === "object" && "program" in content;
    if (isProgram) await Deno.copyFile(content.program, file);
    else if (typeof content === "string") await Deno.writeTextFile(file, content);
    else await Deno.writeFile(file, content);
    await Deno.chmod(file, isProgram ? 0o755 : 0o644);
  }
  // Of directories, too, whatever the umask is.
  await make(["chmod", "-R", "u=rwX,go=rX", tree], packing);
  await make(["find", tree, "-exec", "touch", "-d", `@${packing.time}`, "{}", "+"], packing);
  return tree;
}

/** Runs a program of the system. */
export async function make(
  command: readonly string[],
  { work, time, signal }: Packing,
  cwd = work,
): Promise<void> {
  const env = { SOURCE_DATE_EPOCH: `${time}`, TZ: "UTC", LC_ALL: "C" };
  const hint = "Packages are made by the programs of a Debian or Ubuntu.";
  await run(command, { timeout: TIMEOUT, signal, cwd, env, hint });
}
