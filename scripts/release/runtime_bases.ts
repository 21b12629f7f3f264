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
import { inOneLine, sha256 } from "../../runtime/text.ts";
import { TARGETS } from "../compile/targets.ts";
import { denoDirectory } from "../deno_directory.ts";
import { runScript, say } from "../script.ts";

/** A sum is a short answer, in ms. */
const TIMEOUT = 30_000;

const LOCK_LINE = /^([0-9a-f]{64}) {2}(v\d+\.\d+\.\d+\/denort-[\w-]+\.zip)$/;

/** Which bases to check, and who says what they should be. */
export interface Bases {
  /** Where Deno puts what it downloads from `release/`. */
  readonly directory: string;
  /** Of Deno. */
  readonly version: string;
  /** Where it downloads from, without `vVERSION/FILE`. */
  readonly origin: string;
  /** Another place with the same files. */
  readonly other: string;
  /** Text of the previous release's lock, where there is one. */
  readonly previous?: string;
}

/**
 * @returns the lock, as `sha256sum` writes it, and what somebody should look at.
 * @throws MlcliError for a base that is missing or differs.
 */
export async function checkBases(
  { directory, version, origin, other, previous }: Bases,
): Promise<{ readonly lock: string; readonly warnings: readonly string[] }> {
  const known = previous === undefined ? new Map<string, string>() : sumsIn(previous);
  const warnings: string[] = [];
  const lines: string[] = [];
  for (const target of TARGETS) {
    const name = `v${version}/denort-${target}.zip`;
    const sum = await sha256(await readBase(join(directory, name)));
    const expected = (what: string, value: string): void => {
      if (value === sum) return;
      throw new MlcliError(`${name} is ${sum}, not ${value} as ${what} says`, {
        hint: "Do not release this: find out first which of the two is right.",
      });
    };
    expected(origin, await publishedSum(`${origin}/${name}.sha256sum`));
    expected("the lock of the previous release", known.get(name) ?? sum);
    const opinion = await publishedSum(`${other}/${name}.sha256sum`);
    if (opinion !== sum) warnings.push(`${name} is ${sum}, but ${opinion} on ${other}`);
    lines.push(`${sum}  ${name}\n`);
  }
  return { lock: lines.join(""), warnings };
}

async function readBase(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(path);
  } catch (cause) {
    const hint = "`deno task compile` downloads it, unless DENORT_BIN is set.";
    throw new MlcliError(`There is no runtime base ${path}`, { hint, cause });
  }
}

/** The one checksum in an answer: of `sha256sum` or, for Windows, of PowerShell's Get-FileHash. */
async function publishedSum(address: string): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT) });
  const text = await response.text();
  const sums = text.toLowerCase().match(/\b[0-9a-f]{64}\b/g) ?? [];
  if (response.ok && sums.length === 1) return sums[0]!;
  const start = inOneLine(text.slice(0, 60));
  throw new MlcliError(`${address} is no checksum: HTTP ${response.status}, ${start}`);
}

/** The sums of a lock by file. */
function sumsIn(lock: string): ReadonlyMap<string, string> {
  const lines = lock.trimEnd().split("\n").map((line) => LOCK_LINE.exec(line));
  if (!lines.every((line) => line !== null)) {
    throw new MlcliError("The previous release's lock is none: not a line for each runtime base");
  }
  return new Map(lines.map(([, sum, name]) => [name!, sum!]));
}

async function main(): Promise<number> {
  const [lock, previous, ...others] = Deno.args;
  if (lock === undefined || others.length > 0) {
    throw new UsageError("One or two arguments: the lock to write, the previous release's lock");
  }
  const checked = await checkBases({
    directory: join(denoDirectory(), "dl/release"),
    version: Deno.version.deno,
    origin: "https://dl.deno.land/release",
    other: "https://github.com/denoland/deno/releases/download",
    ...previous === undefined ? {} : { previous: await Deno.readTextFile(previous) },
  });
  // As an annotation, which GitHub shows with the run.
  for (const warning of checked.warnings) say(`::warning::${warning}`);
  await Deno.writeTextFile(lock, checked.lock);
  return 0;
}

if (import.meta.main) runScript(main);
