/**
 * Makes the parts of the AWS SDK that mlcli uses one file, for the binary: 3,000 exports, of which
 * mlcli needs eight, cost `list-endpoints` 60 ms and the binary 20 MB.
 *
 * @module
 */

import { fromFileUrl, join, toFileUrl } from "@std/path";
import configuration from "../deno.json" with { type: "json" };
import { messageOf } from "../runtime/errors.ts";
import { run, say } from "./script.ts";

const SDK = new URL("../runtime/platform/sdk.ts", import.meta.url);

/** It takes two seconds, and more where esbuild has to be downloaded first. In ms. */
const TIMEOUT = 120_000;

/**
 * Bundles the SDK into a directory.
 *
 * @returns the options for `deno compile` that make it take the bundle; none where it cannot be
 * made (`deno bundle` downloads esbuild): then the binary holds the SDK as it is.
 */
export async function bundleSdk(directory: string, signal: AbortSignal): Promise<string[]> {
  const bundle = join(directory, "sdk.js");
  const options = ["--quiet", "--platform", "deno", "--output", bundle];
  try {
    await run([Deno.execPath(), "bundle", ...options, fromFileUrl(SDK)], {
      timeout: TIMEOUT,
      hint: "deno bundle needs esbuild, which it downloads from npm.",
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    say(`The AWS SDK is not bundled, so the binary starts slower: ${messageOf(error)}`);
    return [];
  }
  const map = join(directory, "import_map.json");
  await Deno.writeTextFile(map, JSON.stringify(importMap(configuration.imports, bundle)));
  // Types are checked elsewhere, and the bundle has none.
  return ["--no-check", "--import-map", map];
}

/** The imports of deno.json with the SDK's packages replaced. */
export function importMap(
  imports: Readonly<Record<string, string>>,
  bundle: string,
): { readonly imports: Record<string, string> } {
  const mapped: Record<string, string> = {};
  for (const [name, target] of Object.entries(imports)) {
    if (name.startsWith("@aws-sdk/")) {
      mapped[name] = toFileUrl(bundle).href;
      continue;
    }
    mapped[name] = target;
    // deno.json means these too, an import map does not.
    const [scheme, rest] = target.split(/:(.*)/, 2);
    mapped[`${name}/`] = `${scheme}:/${rest}/`;
  }
  return { imports: mapped };
}
