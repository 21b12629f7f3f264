/**
 * The tests: `deno task test`, with arguments for `deno test`. The last line is `N passed, N failed`.
 *
 * With `--unit` as first argument, only those that need no Docker Engine; with `--page`, all of those
 * in a browser, of the source or of the binary that MLCLI_UNDER_TEST names.
 */

import { ensureChromium } from "../engine/chromium.ts";
import { ensurePrograms } from "../engine/debian.ts";
import { runScript } from "../script.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { imagesForTests } from "../testing/images.ts";
import { END_TO_END, JUDGES, PAGE, WHOLE_PAGE } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

function main(signal: AbortSignal): Promise<number> {
  return reportResults(() => runTests(Deno.args, signal));
}

async function runTests(args: readonly string[], signal: AbortSignal): Promise<TestResults> {
  const [kind, ...rest] = args;
  // For the harness's own tests. Where it cannot be had, they fail and say so.
  await ensurePrograms(["python3"], ["python3"], signal);
  if (kind === "--unit") {
    return await denoTest([ignoring(END_TO_END, JUDGES, PAGE), ...rest], { env: {} }, signal);
  }
  // As above, for the tests of the page.
  await ensureChromium(signal);
  const env = await imagesForTests(signal);
  if (kind === "--page") return await denoTest(rest, { selected: [PAGE], env }, signal);
  return await denoTest([ignoring(JUDGES, WHOLE_PAGE), ...args], { env }, signal);
}

function ignoring(...paths: readonly string[]): string {
  return `--ignore=${paths.join()}`;
}

if (import.meta.main) runScript(main);
