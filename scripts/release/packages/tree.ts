/** Directories that become packages: the same bytes from the same files. */

import { dirname, join } from "@std/path";
import { run } from "../../process.ts";

/** A binary has 100 MB to compress, with others at the same time. In ms. */
const TIMEOUT = 300_000;

/** What a package consists of, by path: all is readable, and executable in `bin` and `scripts`. */
export type Files = Readonly<Record<string, Uint8Array<ArrayBuffer> | string>>;

/** What all packages of a release say. */
export interface Release {
  /** As deno.json has it and npm takes it: 1.2.3, 1.2.3-alpha.1, -beta.1 or -rc.1. */
  readonly version: string;
  /** Who has the repository. */
  readonly owner: string;
  /** The repository's page. */
  readonly homepage: string;
  /** Text of the licence. */
  readonly license: string;
  /** Time of all files, in s since 1970. */
  readonly time: number;
}

/** How and where they are made. */
export interface Packing extends Release {
  /** For the trees. */
  readonly work: string;
  /** For the packages. */
  readonly made: string;
  readonly signal: AbortSignal;
}

/** Makes a directory of files. */
export async function makeTree(name: string, files: Files, packing: Packing): Promise<string> {
  const tree = join(packing.work, name);
  for (const [path, content] of Object.entries(files)) {
    const file = join(tree, path);
    await Deno.mkdir(dirname(file), { recursive: true });
    const mode = /\b(bin|scripts)\/[^/]+$/.test(path) ? 0o755 : 0o644;
    await Deno.writeFile(file, new Blob([content]).stream(), { mode });
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
  const hint = "Packages are made by the programs of a Debian or Ubuntu, and zip.";
  await run(command, { timeout: TIMEOUT, signal, cwd, env, hint });
}
