/**
 * The tests of the binary: `deno task test:binary`, with arguments for `deno test`. Without any,
 * those where it differs from the source (`testing/selections.ts`); with `--all`, all that run the
 * program. The last line is `N passed, N failed`.
 *
 * The binary is what MLCLI_UNDER_TEST names, or what `deno task compile` made for this machine.
 *
 * @module
 */

import { MlcliError } from "../../runtime/errors.ts";
import { findBinary } from "../compile/targets.ts";
import { runScript } from "../script.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { imagesForTests } from "../testing/images.ts";
import { OF_THE_PROGRAM, ON_BINARY, pathsOf } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

function main(signal: AbortSignal): Promise<number> {
  return reportResults(() => runTests(Deno.args, signal));
}

async function runTests(args: readonly string[], signal: AbortSignal): Promise<TestResults> {
  const binary = await findBinary();
  if (!binary) {
    throw new MlcliError("There is no binary to test", {
      hint: `deno task compile ${Deno.build.target} makes it; MLCLI_UNDER_TEST names another.`,
    });
  }
  const tests = await testsFor(args);
  return await denoTest(tests, {
    env: { ...await imagesForTests(signal), MLCLI_UNDER_TEST: binary },
  }, signal);
}

async function testsFor(args: readonly string[]): Promise<readonly string[]> {
  const [first, ...others] = args;
  if (first === "--all") return [...OF_THE_PROGRAM, ...others];
  return first === undefined ? await pathsOf(ON_BINARY) : args;
}

if (import.meta.main) runScript(main);
