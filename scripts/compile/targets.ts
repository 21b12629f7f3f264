/** The systems that mlcli is compiled for, and where their binaries are. */

import { fromFileUrl, join } from "@std/path";
import { UsageError } from "../../runtime/errors.ts";
import { statIfThere } from "../../runtime/files.ts";

/** Where the binaries are put. */
export const DIST = fromFileUrl(new URL("../../dist", import.meta.url));

/** All that `deno compile` knows. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

/** One of them. */
export type Target = typeof TARGETS[number];

/** The only one that a runtime base named by DENORT_BIN is for. */
const DENORT_TARGET: Target = "x86_64-unknown-linux-gnu";

/** Name of the file for a target. */
export function binaryName(target: Target): string {
  return `mlcli-${target}${target.includes("windows") ? ".exe" : ""}`;
}

/**
 * The binary of this machine: what MLCLI_UNDER_TEST names, or what `deno task compile` made;
 * `undefined` where it has made none.
 */
export async function findBinary(): Promise<string | undefined> {
  const named = Deno.env.get("MLCLI_UNDER_TEST");
  if (named) return named;
  const target = TARGETS.find((known) => known === Deno.build.target);
  const path = target && join(DIST, binaryName(target));
  return path && await statIfThere(path) ? path : undefined;
}

/**
 * The targets to compile for.
 *
 * @param names as the user gave them; all when there are none.
 * @param denort value of DENORT_BIN: the path of one runtime base, for Linux x86-64.
 * @throws UsageError for a name that is not a target, or that DENORT_BIN does not fit.
 */
export function chooseTargets(
  names: readonly string[],
  denort: string | undefined,
): readonly Target[] {
  const chosen = names.map(targetNamed);
  if (!denort) return chosen.length === 0 ? TARGETS : [...new Set(chosen)];
  const other = chosen.find((target) => target !== DENORT_TARGET);
  if (other === undefined) return [DENORT_TARGET];
  throw new UsageError(`DENORT_BIN is set, and serves ${DENORT_TARGET} only: ${other}`, {
    hint: "Unset it, and Deno downloads the runtime base of each target.",
  });
}

function targetNamed(name: string): Target {
  const target = TARGETS.find((known) => known === name);
  if (target) return target;
  throw new UsageError(`Unknown target: ${name}`, {
    hint: `There are ${TARGETS.join(", ")}.`,
  });
}
