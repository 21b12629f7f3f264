/**
 * Runs the tests: `deno task test [--all] [--changed [REF]] [--only NAME] [FILE...]`, with options of
 * `deno test`. The last line is `N passed, N failed`.
 *
 * With `--unit` first, only tests that need no Docker Engine and start no program run; with `--all`,
 * also those that start programs. With `--page`, all tests in a browser, of the source or of the binary
 * that MLCLI_UNDER_TEST names.
 */

import { ensureChromium } from "../engine/chromium.ts";
import { ensurePrograms } from "../engine/debian.ts";
import { runScript, say } from "../script.ts";
import { type TestArguments, testArguments } from "../testing/arguments.ts";
import { changedTests, rememberPassed } from "../testing/changed.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { imagesForTests } from "../testing/images.ts";
import {
  isIn,
  JUDGES,
  ON_ENGINE,
  ONLY_ALL,
  PAGE,
  startingPrograms,
} from "../testing/selections.ts";
import { NO_RESULTS, type TestResults } from "../testing/test_results.ts";

function main(signal: AbortSignal): Promise<number> {
  const [first = "", ...rest] = Deno.args;
  if (first === "--unit") {
    return reportResults("test:unit", () => unitTests(testArguments(rest), signal));
  }
  if (first === "--page") {
    return reportResults("test:page", () => pageTests(testArguments(rest), signal));
  }
  const args = testArguments(Deno.args);
  return reportResults(args.all ? "test --all" : "test", () => allTests(args, signal));
}

async function unitTests(args: TestArguments, signal: AbortSignal): Promise<TestResults> {
  await ensurePython(signal);
  const more = args.all ? [] : [...Object.keys(ONLY_ALL), ...await startingPrograms()];
  const ignored = [...ON_ENGINE, ...more];
  return await denoTest(args, { selected: ["tests"], ignored, env: {} }, signal);
}

async function pageTests(args: TestArguments, signal: AbortSignal): Promise<TestResults> {
  await ensureChromium(signal);
  return await denoTest(args, { selected: [PAGE], env: await imagesForTests(signal) }, signal);
}

async function allTests(args: TestArguments, signal: AbortSignal): Promise<TestResults> {
  const ignored = args.all ? [JUDGES] : [JUDGES, ...Object.keys(ONLY_ALL)];
  let selected: readonly string[] = ["tests"];
  if (args.changed !== undefined) {
    const { tests, reason } = await changedTests(args.changed || undefined, signal);
    selected = tests?.filter((file) => !isIn(file, ignored)) ?? selected;
    say(`Selected ${tests ? `${selected.length} test files` : "all tests"}: ${reason}`);
    if (selected.length === 0) return NO_RESULTS;
  }
  await ensurePython(signal);
  await ensureChromium(signal);
  const env = { ...await imagesForTests(signal), MLCLI_TEST_SWEEPS: args.all ? "whole" : "" };
  const results = await denoTest(args, { selected, ignored, env }, signal);
  const isWhole = !args.only && !args.changed && args.rest.every((one) => one === "--no-check");
  if (isWhole && results.failed === 0) await rememberPassed(signal);
  return results;
}

/** The harness's own tests need it. If it cannot be installed, they fail and say so. */
async function ensurePython(signal: AbortSignal): Promise<void> {
  await ensurePrograms(["python3"], ["python3"], signal);
}

if (import.meta.main) runScript(main);
