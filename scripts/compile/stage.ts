/**
 * A copy of the program's source for compiling, so that nothing but the program, and all of it, can
 * get into the binary, with the commit in it.
 */

import { join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { copy } from "../files.ts";
import { vendorFromNpm } from "../setup/from_npm.ts";
import { LOCK_FILE } from "./locked.ts";

const CONFIGURATION = "deno.json";

/** All that the program consists of, but for its dependencies. */
const PARTS = [CONFIGURATION, "main.ts", "commands", "runtime"];

/** Where `runtime/version.ts` finds the commit. */
const BUILD_INFO = "runtime/build_info.ts";

/**
 * Copies the program from `root` to `directory`, which is there and empty, with the file that locks
 * its dependencies. JSR's packages come from npm on every network: of what is locked there can be
 * only one.
 */
export async function stageProgram(
  root: string,
  directory: string,
  commit: string,
  signal: AbortSignal,
): Promise<void> {
  for (const part of PARTS) await copy(join(root, part), join(directory, part));
  await vendorFromNpm(join(directory, "vendor"), signal);
  await copy(join(root, LOCK_FILE), join(directory, "deno.lock"));
  await rewrite(join(directory, CONFIGURATION), withAllImports);
  await rewrite(join(directory, BUILD_INFO), (text) => withCommit(text, commit));
}

async function rewrite(path: string, change: (text: string) => string): Promise<void> {
  await Deno.writeTextFile(path, change(await Deno.readTextFile(path)));
}

/**
 * The configuration without `lazy-dynamic-imports`: from source, it keeps Deno from looking up the
 * AWS SDK's packages for every command; in the binary, what Deno does not look up is missing.
 */
export function withAllImports(configuration: string): string {
  const all = JSON.parse(configuration) as { readonly unstable: readonly string[] };
  const unstable = all.unstable.filter((one) => one !== "lazy-dynamic-imports");
  return JSON.stringify({ ...all, unstable }, null, 2);
}

/** The build info with the commit in it. */
export function withCommit(source: string, commit: string): string {
  const changed = source.replace(
    "COMMIT: string | undefined = undefined",
    `COMMIT: string | undefined = ${JSON.stringify(commit)}`,
  );
  if (changed !== source) return changed;
  throw new MlcliError(`${BUILD_INFO} has no place for the commit`);
}
