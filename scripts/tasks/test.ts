/**
 * The tests: `deno task test`, with arguments for `deno test`. The last line is `N passed, N failed`.
 *
 * With `--unit` as first argument, only those that need no Docker Engine.
 */

import { ensurePrograms } from "../engine/debian.ts";
import { runScript } from "../script.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { imagesForTests } from "../testing/images.ts";
import { END_TO_END, JUDGES } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

function main(signal: AbortSignal): Promise<number> {
  return reportResults(() => runTests(Deno.args, signal));
}

async function runTests(args: readonly string[], signal: AbortSignal): Promise<TestResults> {
  // For the harness's own tests. Where it cannot be had, they fail and say so.
  await ensurePrograms(["python3"], ["python3"], signal);
  const isUnit = args[0] === "--unit";
  if (isUnit) {
    const without = `--ignore=${END_TO_END},${JUDGES}`;
    return await denoTest([without, ...args.slice(1)], { env: {} }, signal);
  }
  const env = await imagesForTests(signal);
  return await denoTest([`--ignore=${JUDGES}`, ...args], { env }, signal);
}

if (import.meta.main) runScript(main);
