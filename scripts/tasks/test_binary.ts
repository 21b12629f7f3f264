/**
 * The tests of the binary: `deno task test:binary`, with arguments for `deno test`. Where they
 * name no file, those where it differs from the source (`testing/selections.ts`); with `--all` first,
 * all that run the program. The last line is `N passed, N failed`.
 *
 * The binary is what MLCLI_UNDER_TEST names, or what `deno task compile` made for this machine.
 */

import { MlcliError } from "../../runtime/errors.ts";
import { findBinary } from "../compile/targets.ts";
import { ensureChromium } from "../engine/chromium.ts";
import { runScript } from "../script.ts";
import { type TestArguments, testArguments } from "../testing/arguments.ts";
import { denoTest, reportResults } from "../testing/deno_test.ts";
import { imagesForTests } from "../testing/images.ts";
import { ON_BINARY, pathsOf, testsOfTheProgram } from "../testing/selections.ts";
import type { TestResults } from "../testing/test_results.ts";

function main(signal: AbortSignal): Promise<number> {
  return reportResults("test:binary", () => runTests(testArguments(Deno.args), signal));
}

async function runTests(args: TestArguments, signal: AbortSignal): Promise<TestResults> {
  const binary = await findBinary();
  if (!binary) {
    throw new MlcliError("There is no binary to test", {
      hint: `deno task compile ${Deno.build.target} makes it; MLCLI_UNDER_TEST names another.`,
    });
  }
  await ensureChromium(signal);
  return await denoTest(args, {
    selected: args.all ? await testsOfTheProgram() : await pathsOf(ON_BINARY),
    env: { ...await imagesForTests(signal), MLCLI_UNDER_TEST: binary },
  }, signal);
}

if (import.meta.main) runScript(main);
