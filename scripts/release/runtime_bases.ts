/**
 * Checks the runtime bases that `deno compile` downloaded, and writes their checksums into a lock:
 *
 *     deno run -A scripts/release/runtime_bases.ts LOCK [PREVIOUS]
 *
 * A binary is a runtime base, Deno's `denort-TARGET.zip`, with the program behind it. Deno
 * downloads the bases. The source does not name their checksums, or somebody would have to write them
 * there for each new Deno before a tag makes a release. Three places say what they should be:
 *
 * - The checksum beside each zip on dl.deno.land must be its own. This shows that the zip came whole.
 *   It does not show who made it: whoever can replace the zip can replace the checksum.
 * - The checksum in Deno's release on GitHub is another opinion. Where it differs, this script warns
 *   and goes on: Deno stamps a version anew when it becomes one for long-term support, and puts the
 *   new zips on dl.deno.land alone.
 * - PREVIOUS is the lock of mlcli's release before this one. Where it names the same Deno, the sums
 *   must be the same. This shows that nothing has changed since; not that the first ones were right.
 */

import { join } from "@std/path";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import { checksums, sumsOf } from "../compile/checksums.ts";
import { TARGETS } from "../compile/targets.ts";
import { denoDirectory } from "../deno_directory.ts";
import { runScript, say } from "../script.ts";

/** A sum is a short answer, in ms. */
const TIMEOUT = 30_000;

type Get = (address: string, options: { readonly signal: AbortSignal }) => Promise<Response>;

/** Where Deno downloads from, and another place with the same files; `vVERSION/FILE` follows. */
const ORIGIN = "https://dl.deno.land/release";
const OTHER = "https://github.com/denoland/deno/releases/download";

/**
 * @param directory where Deno puts what it downloads from `release/`.
 * @param version of Deno.
 * @param previous text of the previous release's lock, where there is one.
 * @param get asks for an address.
 * @returns the lock, as `sha256sum` writes it, and what somebody should look at.
 * @throws Error for a base that is missing or differs.
 */
export async function checkBases(
  directory: string,
  version: string,
  previous: string | undefined,
  get: Get = fetch,
): Promise<{ readonly lock: string; readonly warnings: readonly string[] }> {
  const lock = await checksums(directory, TARGETS.map((name) => `v${version}/denort-${name}.zip`));
  const known = sumsOf(previous ?? "");
  if (previous !== undefined && known.size === 0) {
    throw new MlcliError("The previous release's lock has no checksums");
  }
  const warnings: string[] = [];
  for (const [name, sum] of sumsOf(lock)) {
    const published = await publishedSum(`${ORIGIN}/${name}.sha256sum`, get);
    if (published !== sum) throw differs(name, sum, published, ORIGIN);
    const before = known.get(name) ?? sum;
    if (before !== sum) throw differs(name, sum, before, "the lock of the previous release");
    const opinion = await publishedSum(`${OTHER}/${name}.sha256sum`, get);
    if (opinion !== sum) warnings.push(`${name} is ${sum}, but ${opinion} on ${OTHER}`);
  }
  return { lock, warnings };
}

function differs(name: string, sum: string, expected: string, source: string): MlcliError {
  return new MlcliError(`${name} is ${sum}, not ${expected} as ${source} says`, {
    hint: "Do not release this: find out first which of the two is right.",
  });
}

/** The checksum in an answer: of `sha256sum` or, for Windows, of PowerShell's Get-FileHash. */
async function publishedSum(address: string, get: Get): Promise<string> {
  const response = await get(address, { signal: AbortSignal.timeout(TIMEOUT) });
  const [sum] = /\b[0-9a-f]{64}\b/i.exec(await response.text()) ?? [];
  if (response.ok && sum !== undefined) return sum.toLowerCase();
  throw new MlcliError(`${address} has no checksum: HTTP ${response.status}`);
}

async function main(): Promise<number> {
  const [lock, previous] = Deno.args;
  if (lock === undefined) {
    throw new UsageError("One or two arguments: the lock to write, the previous release's lock");
  }
  const checked = await checkBases(
    join(denoDirectory(), "dl/release"),
    Deno.version.deno,
    previous && await Deno.readTextFile(previous),
  );
  // As an annotation, which GitHub shows with the run.
  for (const warning of checked.warnings) say(`::warning::${warning}`);
  await Deno.writeTextFile(lock, checked.lock);
  return 0;
}

if (import.meta.main) runScript(main);
