/**
 * The packages that a binary is made from: those of `scripts/release/deno.lock`, each at its version
 * and with the checksum of its content. `deno task lock` writes that file again.
 */

import { join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { filesBelow } from "../files.ts";
import { run } from "../process.ts";

/** The lock file, in the project's directory. */
export const LOCK_FILE = "scripts/release/deno.lock";

/** What `deno bundle` of this Deno downloads and runs; locked with the rest. */
export const BUNDLER = "npm:esbuild@0.25.5";

/** A hundred packages over a slow network. In ms. */
const TIMEOUT = 300_000;

/** What the lock file says of packages from npm. */
interface Lock {
  /** What is asked for, such as `npm:tar-stream@3.2.2`, to the version that it is. */
  readonly specifiers: Readonly<Record<string, string>>;
}

/** Options of Deno to resolve a staged program by nothing but its lock file. */
export function lockedOptions(): readonly string[] {
  return ["--lock=deno.lock", "--frozen"];
}

/** Variables under which Deno resolves packages into a directory. */
export function resolving(cache: string): Readonly<Record<string, string>> {
  return {
    DENO_DIR: cache,
    // Where a company's proxy signs for npm's registry, the system knows its certificate; before
    // 2.9, Deno does not ask the system by itself.
    DENO_TLS_CA_STORE: "mozilla,system",
    // What is quoted of an error is its end, which is to be the message.
    RUST_BACKTRACE: "0",
    NO_COLOR: "1",
  };
}

/**
 * Downloads the packages of a staged program, and what bundles it, into an empty directory.
 * @throws MlcliError where the lock file does not name one, or names another content.
 */
export async function resolveLocked(
  stage: string,
  cache: string,
  signal: AbortSignal,
): Promise<void> {
  const lock = JSON.parse(await Deno.readTextFile(join(stage, "deno.lock"))) as Lock;
  // By name: what is imported when it is needed, Deno would not miss.
  const packages = Object.keys(lock.specifiers).filter((name) => name.startsWith("npm:"));
  const options = ["--quiet", ...lockedOptions()];
  await run([Deno.execPath(), "cache", ...options, "main.ts", ...packages], {
    cwd: stage,
    env: resolving(cache),
    timeout: TIMEOUT,
    hint:
      `After a change of dependencies, \`deno task lock\` writes ${LOCK_FILE} again. A checksum ` +
      "that is wrong without such a change is not to be accepted.",
    signal,
  });
}

/**
 * Makes sure that what bundled was the locked package: Deno names its version itself.
 * @param cache where `deno bundle` has resolved.
 * @returns its program.
 */
export async function checkBundler(cache: string): Promise<string> {
  const locked: string[] = [];
  const packages = join(cache, "npm");
  for await (const path of filesBelow(packages)) {
    const isBundler = /@esbuild[\\/][^\\/]+[\\/][^\\/]+[\\/](bin[\\/]esbuild|esbuild\.exe)$/;
    if (isBundler.test(path)) locked.push(await digestOf(join(packages, path)));
  }
  const downloads = join(cache, "dl");
  let bundler: string | undefined;
  for await (const path of filesBelow(downloads)) {
    bundler = join(downloads, path);
    if (locked.includes(await digestOf(join(downloads, path)))) continue;
    throw new MlcliError(`Deno bundles with ${path}, which is not ${BUNDLER}`, {
      hint: "Another Deno needs another: name it in scripts/compile/locked.ts, `deno task lock`.",
    });
  }
  if (bundler === undefined) throw new MlcliError("Deno does not say what it bundles with");
  return bundler;
}

async function digestOf(file: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", await Deno.readFile(file))).toHex();
}
