/**
 * Makes the staged program a handful of files: Deno then reads no more at the start than what the
 * command needs, and of the AWS SDK the binary holds only what mlcli uses (20 MB less).
 *
 * @module
 */

import { copy, filesBelow } from "./copy.ts";
import { join } from "@std/path";
import { messageOf } from "../../runtime/errors.ts";
import { run, say } from "../script.ts";

/** It takes two seconds, and more where esbuild has to be downloaded first. In ms. */
const TIMEOUT = 120_000;

/** What to compile: an entry point, and the directories to embed beside what it imports. */
export interface Program {
  readonly directory: string;
  readonly main: string;
  readonly assets: readonly string[];
}

/** Directories that the program reads files from, relative to `runtime/image`. */
const ASSETS = ["harness", "template"];

/** The staged program as it is. */
export function unbundled(stage: string): Program {
  return {
    directory: stage,
    main: "main.ts",
    assets: ASSETS.map((name) => join("runtime/image", name)),
  };
}

/**
 * Bundles the staged program into a directory, one file for each part that is loaded on its own.
 *
 * @returns the program as it is where it cannot be bundled: `deno bundle` is experimental, and
 * downloads esbuild from npm's own registry.
 */
export async function bundled(
  stage: string,
  directory: string,
  signal: AbortSignal,
): Promise<Program> {
  try {
    await bundleSdk(stage, signal);
    await bundle(["--code-splitting", "--outdir", directory, "main.ts"], stage, signal);
  } catch (error) {
    signal.throwIfAborted();
    say(`Not bundled, so the binary is larger and starts slower: ${messageOf(error)}`);
    return unbundled(stage);
  }
  // Where the bundled code looks for them: beside itself.
  for (const name of ASSETS) await copy(join(stage, "runtime/image", name), join(directory, name));
  return { directory, main: "main.js", assets: ASSETS };
}

/**
 * Makes the SDK one file first, without splitting. It imports CommonJS modules dynamically, and
 * esbuild loses their exports when it puts them into files of their own: `getDefaultRoleAssumer is
 * not a function`.
 */
async function bundleSdk(stage: string, signal: AbortSignal): Promise<void> {
  const platform = join(stage, "runtime/platform");
  await bundle(["--output", join(platform, "sdk.js"), join(platform, "sdk.ts")], stage, signal);
  for await (const path of filesBelow(platform)) {
    if (!path.endsWith(".ts")) continue;
    const text = await Deno.readTextFile(join(platform, path));
    await Deno.writeTextFile(join(platform, path), text.replaceAll('"./sdk.ts"', '"./sdk.js"'));
  }
}

async function bundle(
  options: readonly string[],
  stage: string,
  signal: AbortSignal,
): Promise<void> {
  await run([Deno.execPath(), "bundle", "--quiet", "--platform", "deno", ...options], {
    cwd: stage,
    // Where a company's proxy signs for npm's registry, the system knows its certificate; before
    // 2.9, Deno does not ask the system by itself.
    env: { DENO_TLS_CA_STORE: "mozilla,system" },
    timeout: TIMEOUT,
    hint: "deno bundle needs esbuild, which it downloads from npm.",
    signal,
  });
}
