/**
 * The tests: `deno task test`, with arguments for `deno test`. The last line is `N passed, N failed`.
 *
 * With `--unit` as first argument, only those that need no Docker Engine.
 */

import { ensurePrograms } from "../engine/debian.ts";
import { runScript } from "../script.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { imagesForTests } from "../testing/images.ts";
import { END_TO_END } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

function main(signal: AbortSignal): Promise<number> {
  return reportResults(() => runTests(Deno.args, signal));
}

async function runTests(args: readonly string[], signal: AbortSignal): Promise<TestResults> {
  // For the harness's own tests. Where it cannot be had, they fail and say so.
  await ensurePrograms(["python3"], ["python3"], signal);
  const isUnit = args[0] === "--unit";
  if (isUnit) {
    return await denoTest([`--ignore=${END_TO_END}`, ...args.slice(1)], { env: {} }, signal);
  }
  return await denoTest(args, { env: await imagesForTests(signal) }, signal);
}

if (import.meta.main) runScript(main);
