/**
 * The tests: `deno task test`, with arguments for `deno test`. The last line is `N passed, N failed`.
 *
 * With `--unit` as first argument, only those that need no Docker Engine.
 *
 * @module
 */

import { ensureBaseImage } from "./base_image.ts";
import { denoTest, reportResults } from "./deno_test.ts";
import { ensureEngine } from "./engine.ts";
import { runScript } from "./script.ts";
import type { TestResults } from "./test_results.ts";

/** Tests that need an engine. */
const END_TO_END = "tests/e2e";

function main(signal: AbortSignal): Promise<number> {
  return reportResults(() => runTests(Deno.args, signal));
}

async function runTests(args: readonly string[], signal: AbortSignal): Promise<TestResults> {
  const isUnit = args[0] === "--unit";
  if (isUnit) {
    return await denoTest([`--ignore=${END_TO_END}`, ...args.slice(1)], { env: {} }, signal);
  }
  return await denoTest(args, { env: await imagesForTests(signal) }, signal);
}

/** What the tests against the engine read from their environment. */
async function imagesForTests(signal: AbortSignal): Promise<Record<string, string>> {
  const engine = await ensureEngine(signal);
  try {
    return {
      MLCLI_TEST_BASE_IMAGE: await ensureBaseImage("plain", engine, signal),
      MLCLI_TEST_SKLEARN_IMAGE: await ensureBaseImage("sklearn", engine, signal),
    };
  } finally {
    engine.close();
  }
}

if (import.meta.main) runScript(main);
